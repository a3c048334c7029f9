"""The limits that the gate is to keep, as ratios to other authorizers."""

import dataclasses
import statistics

from sidebyside.candidates import GATE
from sidebyside.report import ratios_of

from .scenarios import NO_AUTHORIZER


@dataclasses.dataclass(frozen=True)
class Target:
    """The highest ratio of a figure of the gate to that of another authorizer."""

    words: str
    scenario: str
    reference: str
    limit: float

    def result(self, rows):
        """Returns the ratio and what it is made of, or None if there are no figures."""
        return cost_ratio(rows, self.reference) if NO_AUTHORIZER not in rows else added_ratio(rows, self.reference)


TARGETS = (
    Target("HTTP/1.1, allowed: CPU", "http-allowed", "go-http", 0.50),
    Target("HTTP/1.1, denied: CPU", "http-denied", "go-http", 0.50),
    Target("HTTP/1.1, allowed: CPU", "http-allowed", "nginx-lua", 0.90),
    Target("HTTP/1.1, denied: CPU", "http-denied", "nginx-lua", 0.90),
    Target("gRPC, allowed: CPU", "grpc-allowed", "grpc-go", 0.35),
    Target("gRPC, denied: CPU", "grpc-denied", "grpc-go", 0.35),
    Target("nginx auth_request: added p99", "nginx-added", "go-http", 0.70),
    Target("Envoy ext_authz, gRPC: added p99", "envoy-added", "grpc-go", 0.70),
)


def cost_ratio(rows, reference):
    """Returns the median of the ratios of each round, and their range."""
    ratios = ratios_of(rows.get(GATE, []), rows.get(reference), "cpu_microseconds")
    if not ratios:
        return None
    return statistics.median(ratios), f"{min(ratios):.2f}..{max(ratios):.2f}"


def added_ratio(rows, reference):
    """Returns the ratio of the medians, which are differences between slow requests, and these in microseconds."""
    gate, other = (added(rows, name, "p99") for name in (GATE, reference))
    if not gate or not other or statistics.median(other) <= 0:
        return None
    gate, other = statistics.median(gate), statistics.median(other)
    return gate / other, f"{gate:+.0f} µs to {other:+.0f} µs"


def added(rows, name, figure):
    """Returns the differences of a row from the one without an authorizer, for the rounds in which both are right."""
    return [
        run.figures[figure] - without.figures[figure]
        for run, without in zip(rows.get(name, []), rows.get(NO_AUTHORIZER, []))
        if run.is_clean and without.is_clean
    ]
