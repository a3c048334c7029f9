"""The latency of the slowest requests at half of nginx's maximum rate."""

import functools

from ..appcall import CURRENT_VERSION, request_headers
from ..candidates import REFERENCE
from ..h2load import faults_in, logged_requests, paced_run, percentile
from ..run import Column, Compared, LoadFailed, Run


class SteadyRate:
    name = "steady-rate"
    title = f"pass at half of {REFERENCE}'s maximum rate in the same round"
    reference = REFERENCE
    compared = (Compared("p99", "p99"),)
    max_rounds = 3
    columns = (
        Column("requests/s", "requests_per_second"),
        # A server that cannot keep the rate sends right responses, but late.
        Column("of the rate", "kept", "{:.0%}"),
        Column("p50 ms", "p50", "{:.2f}"),
        Column("p99 ms", "p99", "{:.2f}"),
        Column("p99.9 ms", "p999", "{:.2f}"),
        Column(f"p99, ratio to {REFERENCE}", "p99", is_ratio=True),
        Column("CPU µs/request", "cpu_microseconds", "{:.1f}"),
    )

    def rows(self, bench):
        if not bench.has("h2load"):
            return {}
        return {
            candidate.name: functools.partial(self._measure, bench, candidate)
            for candidate in bench.candidates
        }

    def _measure(self, bench, candidate, number):
        server = bench.server(candidate)
        rate = bench.peak_rate(number) / 2
        headers = request_headers(CURRENT_VERSION)
        log = bench.folder / "steady-rate.log"
        cores = bench.load_cores
        try:
            # All connections, including those to the backend, are open before the measurement.
            paced_run(server, headers, log, rate=rate, seconds=1, cores=cores)
            log.unlink()
            cpu_before = server.cpu_seconds()
            output = paced_run(server, headers, log, rate=rate, seconds=bench.seconds, cores=cores)
            cpu = server.cpu_seconds() - cpu_before
            faults = faults_in(output)
        except LoadFailed as failure:
            return Run.failed(failure)
        milliseconds = sorted(each[2] for each in logged_requests(log))
        log.unlink()
        if not milliseconds:
            return Run.failed("no responses")
        achieved = len(milliseconds) / bench.seconds
        return Run({
            "requests_per_second": achieved,
            "kept": achieved / rate,
            "p50": percentile(milliseconds, 0.5),
            "p99": percentile(milliseconds, 0.99),
            "p999": percentile(milliseconds, 0.999),
            "cpu_microseconds": cpu / len(milliseconds) * 1e6,
        }, tuple(faults))
