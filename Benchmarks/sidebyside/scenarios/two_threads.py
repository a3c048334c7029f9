"""The gain of a second thread."""

import functools

from ..appcall import CURRENT_VERSION, request_headers
from ..candidates import REFERENCE
from ..run import Column, Compared, Run
from ..setup import Setup


class TwoThreads:
    name = "two-threads"
    title = "pass with two threads, compared with the same proxy with one"
    reference = REFERENCE
    compared = (Compared("worth", "two-thread speedup", is_better_higher=True),)
    max_rounds = 3
    columns = (
        Column("requests/s, 1", "one_requests", "{:.0f}"),
        Column("requests/s, 2", "two_requests", "{:.0f}"),
        Column("times as many", "measured", "{:.2f}"),
        Column("CPU µs/request, 1", "one_cpu", "{:.1f}"),
        Column("CPU µs/request, 2", "two_cpu", "{:.1f}"),
        Column("busier thread", "busier_share", "{:.2f}"),
        Column("two-thread speedup", "worth", "{:.2f}"),
        Column(f"speedup, ratio to {REFERENCE}", "worth", is_ratio=True),
    )

    def rows(self, bench):
        return {
            candidate.name: functools.partial(self._measure, bench, candidate)
            for candidate in bench.candidates
            if candidate.name != "nginx-lua"
        }

    def _measure(self, bench, candidate, _):
        runs = {}
        for threads in (1, 2):
            server = bench.server(candidate, Setup(threads=threads, all_cores=True))
            before = server.thread_seconds()
            run = bench.wrk(server, request_headers(CURRENT_VERSION), 200, on_all_cores=True)
            if not run.is_clean:
                return run
            after = server.thread_seconds()
            used = sorted(after[each] - before.get(each, 0) for each in after)[-threads:]
            runs[threads] = (run.figures, used)
        (one, _), (two, used) = runs[1], runs[2]
        # The work of both threads, in units of the maximum work of the busier thread.
        busier = used[-1] / sum(used)
        cost = two["cpu_microseconds"] / one["cpu_microseconds"]
        return Run({
            "one_requests": one["requests_per_second"],
            "two_requests": two["requests_per_second"],
            "measured": two["requests_per_second"] / one["requests_per_second"],
            "one_cpu": one["cpu_microseconds"],
            "two_cpu": two["cpu_microseconds"],
            "busier_share": busier,
            "worth": 1 / busier / cost,
        })
