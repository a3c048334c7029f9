-- The warm-up: counts each status. This is too expensive for a measured run, in which wrk counts only those above 399.
local threads = {}

function setup(thread)
    threads[#threads + 1] = thread
end

function init(scripts)
    statuses = {}
    for _, script in ipairs(scripts) do
        dofile(script)
    end
end

function response(status)
    statuses[status] = (statuses[status] or 0) + 1
end

function done()
    local pairs_of_json = {}
    for _, thread in ipairs(threads) do
        for status, count in pairs(thread:get("statuses")) do
            pairs_of_json[#pairs_of_json + 1] = ('"%d":%d'):format(status, count)
        end
    end
    print("RESULT {" .. table.concat(pairs_of_json, ",") .. "}")
end
