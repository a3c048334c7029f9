"""The number of allocations per forwarded request."""

import functools
import http.client
import subprocess

from ..allocationcount import build_counter, read_count
from ..appcall import CURRENT_VERSION, PATH, request_headers
from ..candidates import REFERENCE
from ..run import Column, Compared, Run
from ..setup import Setup

REQUESTS = 2_000


class Allocations:
    """Consecutive requests on one connection, once all pools are full."""

    name = "allocations"
    title = "calls to malloc and related functions per forwarded request, in steady state"
    reference = REFERENCE
    # A count, not a measurement.
    max_rounds = 1
    compared = (Compared("each", "allocations per request"),)
    columns = (Column("allocations/request", "each", "{:.2f}"),)

    def rows(self, bench):
        return {
            candidate.name: functools.partial(self._measure, bench, candidate)
            for candidate in bench.candidates
            # These have their own allocators, whose calls cannot be counted.
            if candidate.name not in ("caddy", "envoy")
        }

    def _measure(self, bench, candidate, _):
        try:
            counter = build_counter(bench.folder)
        except (OSError, subprocess.SubprocessError) as failure:
            return Run.failed(f"no counter: {failure}")
        with bench.fresh_server(candidate, Setup(preload=counter)) as server:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
            wrong = sum(ask(connection) != 200 for _ in range(REQUESTS))
            before = read_count(server.folder)
            wrong += sum(ask(connection) != 200 for _ in range(REQUESTS))
            count = read_count(server.folder) - before
            connection.close()
        faults = (f"{wrong} wrong statuses",) if wrong else ()
        return Run({"each": count / REQUESTS}, faults)


def ask(connection):
    connection.request("GET", PATH, headers=request_headers(CURRENT_VERSION))
    response = connection.getresponse()
    response.read()
    return response.status
