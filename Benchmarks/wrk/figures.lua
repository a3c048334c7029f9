-- The measured run: prints wrk's figures as one line of JSON. Latencies are in microseconds.
function init(scripts)
    for _, script in ipairs(scripts) do
        dofile(script)
    end
end

function done(summary, latency)
    local errors = summary.errors
    print(('RESULT {"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"aboveStatus399":%d,"socketErrors":%d}'):format(
        summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
        errors.status, errors.connect + errors.read + errors.write + errors.timeout
    ))
end
