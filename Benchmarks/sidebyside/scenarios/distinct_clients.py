"""Clients that were never seen before: what does a verdict cost that nobody remembers?"""

import functools

from ..appcall import CURRENT_VERSION, request_headers
from ..rulesfiles import write_rules
from ..run import Column
from ..setup import Setup

# What differs, and how many rules there are.
KINDS = {
    "one client": (None, 1),
    "a device each": ("devices.lua", 1),
    "a version each": ("versions.lua", 1),
    "a version each, 10000 rules": ("versions.lua", 10_000),
}


class DistinctClients:
    name = "distinct-clients"
    title = "pass, every request from another client"
    reference = "versiongate, one client"
    max_rounds = None
    columns = (
        Column("requests/s", "requests_per_second"),
        Column("CPU µs/request", "cpu_microseconds", "{:.1f}"),
        Column("CPU, ratio to one client", "cpu_microseconds", is_ratio=True),
    )

    def rows(self, bench):
        gate = bench.candidate("versiongate")
        if gate is None:
            return {}
        return {
            f"versiongate, {kind}": functools.partial(self._measure, bench, gate, script, size)
            for kind, (script, size) in KINDS.items()
        }

    def _measure(self, bench, gate, script, size, _):
        rules = bench.folder / f"{size}-rules.yaml"
        if not rules.exists():
            write_rules(rules, size)
        server = bench.server(gate, Setup(rules=rules))
        return bench.wrk(server, request_headers(CURRENT_VERSION), 200, script=script)
