"""One rule compared with 10,000."""

import functools

from ..candidates import GATE
from ..rulesfiles import write_rules
from ..run import Column
from ..setup import Setup
from ..traffic import MIXED, NEVER_SEEN

SIZES = (1, 10_000)


class ManyRules:
    """Clients with and without a cached verdict; the paths are looked up for each request."""

    name = "many-rules"
    title = "pass with 1 rule and with 10,000, half of them for paths, HTTP/1.1"
    reference = f"{MIXED.name}, 1 rule"
    compared = ()
    max_rounds = 3
    columns = (
        Column("requests/s", "requests_per_second"),
        Column("CPU µs/request", "cpu_microseconds", "{:.1f}"),
        Column(f"CPU, ratio to {MIXED.name}, 1 rule", "cpu_microseconds", is_ratio=True),
    )

    def rows(self, bench):
        gate = bench.candidate(GATE)
        if gate is None:
            return {}
        return {
            f"{traffic.name}, {size} rule{'s' * (size > 1)}":
                functools.partial(self._measure, bench, gate, traffic, size)
            for traffic in (MIXED, NEVER_SEEN)
            for size in SIZES
        }

    def _measure(self, bench, gate, traffic, size, number):
        rules = bench.folder / f"{size}-rules.yaml"
        if not rules.exists():
            write_rules(rules, size)
        return bench.load(
            bench.server(gate, Setup(rules=rules)), traffic, denied=False, seed=number + 1
        )
