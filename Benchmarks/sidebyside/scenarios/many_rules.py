"""One rule against 10,000."""

import functools

from ..appcall import CURRENT_VERSION, request_headers
from ..rulesfiles import write_rules
from ..run import Column
from ..setup import Setup

SIZES = (1, 10_000)


class ManyRules:
    """One client, whose verdict the gate remembers; the paths are looked up for each request."""

    name = "many-rules"
    title = "pass with 1 rule and with 10,000, the same client again and again"
    reference = "versiongate, 1 rule"
    max_rounds = None
    script = None
    columns = (
        Column("requests/s", "requests_per_second"),
        Column("CPU µs/request", "cpu_microseconds", "{:.1f}"),
        Column("CPU, ratio to 1 rule", "cpu_microseconds", is_ratio=True),
    )

    def rows(self, bench):
        gate = bench.candidate("versiongate")
        if gate is None:
            return {}
        return {
            f"versiongate, {size} rule{'s' * (size > 1)}":
                functools.partial(self._measure, bench, gate, size)
            for size in SIZES
        }

    def _measure(self, bench, gate, size, _):
        rules = bench.folder / f"{size}-rules.yaml"
        if not rules.exists():
            write_rules(rules, size)
        server = bench.server(gate, Setup(rules=rules))
        return bench.wrk(server, request_headers(CURRENT_VERSION), 200, script=self.script)
