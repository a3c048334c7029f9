"""The main scenarios: the cost of requests from many clients, at the maximum rate of a proxy's single core."""

import dataclasses
import functools

from ..candidates import GATE, REFERENCE
from ..load import HTTP2_CONNECTIONS, STREAMS_EACH, missing
from ..run import Column, Compared, Run
from ..setup import Setup

COLUMNS = (
    Column("requests/s", "requests_per_second"),
    Column("CPU µs/request", "cpu_microseconds", "{:.1f}"),
    Column(f"CPU, ratio to {REFERENCE}", "cpu_microseconds", is_ratio=True),
    Column(f"requests/s, ratio to {REFERENCE}", "requests_per_second", is_ratio=True),
    Column("p50 ms", "p50_milliseconds", "{:.2f}"),
    Column("p99 ms", "p99_milliseconds", "{:.2f}"),
)


class RealTraffic:
    """One kind of traffic, which is to pass or to be denied, over one protocol."""

    columns = COLUMNS
    reference = REFERENCE
    compared = (
        Compared("cpu_microseconds", "CPU per request"),
        Compared("requests_per_second", "requests/s", is_better_higher=True),
    )

    def __init__(self, traffic, denied, protocol="http1", max_rounds=None):
        self.max_rounds = max_rounds
        self.traffic = traffic
        self.denied = denied
        self.protocol = protocol
        self.name = traffic.case(denied)
        who = "the proxy responds with 426" if denied else "the backend responds"
        how = "HTTP/1.1"
        if protocol == "http2":
            self.name += "-http2"
            how = f"HTTP/2 with TLS, {HTTP2_CONNECTIONS} connections with {STREAMS_EACH} streams each"
        self.title = f"{traffic.title}; {who}; {how}"

    def rows(self, bench):
        reason = missing(self.protocol)
        if reason:
            print(f"skipped: {self.name}: {reason}")
            return {}
        return {
            candidate.name: functools.partial(self._measure, bench, candidate)
            for candidate in bench.candidates
        }

    def _measure(self, bench, candidate, number):
        server = bench.server(candidate, Setup(tls=self.protocol == "http2"))
        return bench.load(
            server, self.traffic, self.denied, protocol=self.protocol, seed=number + 1
        )


class CrowdSize:
    """A crowd with ten times as many clients as fit into any cache."""

    name = "crowd-size"
    reference = None
    compared = ()
    max_rounds = 3

    def __init__(self, few, many):
        # A new process has no caches from the previous round.
        self._traffic = tuple(
            dataclasses.replace(each, warm_up_seconds=2 * each.warm_up_seconds)
            for each in (few, many)
        )
        self.title = f"pass, {many.title} compared with {few.title}, HTTP/1.1"
        self.columns = (
            Column("requests/s, fewer", "few_requests", "{:.0f}"),
            Column("requests/s, more", "many_requests", "{:.0f}"),
            Column("CPU µs/request, fewer", "few_cpu", "{:.1f}"),
            Column("CPU µs/request, more", "many_cpu", "{:.1f}"),
            Column("CPU, ratio of more to fewer", "times", "{:.2f}"),
            Column("MiB, fewer", "few_memory", "{:.1f}"),
            Column("MiB, more", "many_memory", "{:.1f}"),
        )

    def rows(self, bench):
        return {
            candidate.name: functools.partial(self._measure, bench, candidate)
            for candidate in bench.candidates
            # The reference shows the effect of more memory on the machine itself.
            if candidate.name in (REFERENCE, GATE)
        }

    def _measure(self, bench, candidate, number):
        figures, faults = {}, ()
        with bench.fresh_server(candidate) as server:
            for name, traffic in zip(("few", "many"), self._traffic, strict=True):
                run = bench.load(server, traffic, denied=False, seed=number + 1)
                faults += run.faults
                if not run.figures:
                    return run
                figures[f"{name}_requests"] = run.figures["requests_per_second"]
                figures[f"{name}_cpu"] = run.figures["cpu_microseconds"]
                figures[f"{name}_memory"] = server.resident_bytes() / 2**20
        figures["times"] = figures["many_cpu"] / figures["few_cpu"]
        return Run(figures, faults)
