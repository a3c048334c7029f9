"""HTTP/2 with TLS: 100 streams on 10 connections."""

import functools

from ..appcall import CURRENT_VERSION, PATH, request_headers
from ..candidates import REFERENCE
from ..h2load import count_of, faults_in, run_h2load
from ..run import Column, LoadFailed, Run
from ..setup import Setup

# 10 streams at a time on each of them.
CONNECTIONS = 10
STREAMS_EACH = 10


class Multiplexed:
    name = "http2-tls"
    title = f"HTTP/2 with TLS, {CONNECTIONS * STREAMS_EACH} streams on {CONNECTIONS} connections"
    reference = REFERENCE
    max_rounds = None
    columns = (
        Column("requests/s", "requests_per_second"),
        Column("CPU µs/request", "cpu_microseconds", "{:.1f}"),
        Column(f"CPU, ratio to {REFERENCE}", "cpu_microseconds", is_ratio=True),
        Column(f"requests/s, ratio to {REFERENCE}", "requests_per_second", is_ratio=True),
    )

    def rows(self, bench):
        if not bench.has("h2load"):
            return {}
        return {
            candidate.name: functools.partial(self._measure, bench, candidate)
            for candidate in bench.candidates
            if candidate.name != "nginx-lua"
        }

    def _measure(self, bench, candidate, _):
        server = bench.server(candidate, Setup(tls=True))
        headers = request_headers(CURRENT_VERSION)
        url = f"https://127.0.0.1:{server.port}{PATH}"
        arguments = ["--clients", str(CONNECTIONS), "--max-concurrent-streams", str(STREAMS_EACH)]
        try:
            run_h2load(arguments, 1, url, headers, bench.load_cores)
            cpu_before = server.cpu_seconds()
            output = run_h2load(arguments, bench.seconds, url, headers, bench.load_cores)
            cpu = server.cpu_seconds() - cpu_before
            requests, faults = count_of(output, "2xx"), faults_in(output)
        except LoadFailed as failure:
            return Run.failed(failure)
        if requests == 0:
            return Run.failed("no answers")
        if "Application protocol: h2" not in output:
            faults.append("no HTTP/2")
        return Run({
            "requests_per_second": requests / bench.seconds,
            "cpu_microseconds": cpu / requests * 1e6,
        }, tuple(faults))
