"""The scenarios, each in its own module.

A scenario has a `name`, a `title`, `columns`, a `reference` that names a row, optionally `max_rounds`,
the figures that are `compared` with the gate's, and `rows(bench)`, which returns a function for each
row that measures it once.
"""

from ..traffic import CROWD, HEADLINES, LARGER_CROWD, POST
from .allocations import Allocations
from .bodies import Downloads, Uploads
from .idle_connections import IdleConnections
from .instructions import Instructions
from .many_rules import ManyRules
from .real_traffic import CrowdSize, RealTraffic
from .reloading import Reloading
from .routes import Routes
from .steady_rate import SteadyRate
from .two_threads import TwoThreads

HEADLINE_SCENARIOS = tuple(
    RealTraffic(traffic, denied, protocol)
    for protocol in ("http1", "http2")
    for traffic in HEADLINES
    for denied in (False, True)
)
SCENARIOS = (
    Instructions(HEADLINES, "http1", passing=(LARGER_CROWD, POST)),
    Instructions(HEADLINES, "http2"),
    Routes(),
    *HEADLINE_SCENARIOS,
    RealTraffic(POST, denied=False, max_rounds=3),
    Downloads(),
    Uploads(),
    CrowdSize(CROWD, LARGER_CROWD),
    SteadyRate(),
    TwoThreads(),
    IdleConnections(),
    ManyRules(),
    Reloading(),
    Allocations(),
)
