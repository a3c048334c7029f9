"""What is measured, each scenario in a module of its own.

A scenario has a `name`, a `title`, `columns`, the row that `reference` names, perhaps `max_rounds`,
and `rows(bench)`: for each row a function that measures it once.
"""

from .allocations import Allocations
from .bodies import Bodies
from .distinct_clients import DistinctClients
from .idle_connections import IdleConnections
from .many_rules import ManyRules
from .multiplexed import Multiplexed
from .reloading import Reloading
from .saturated import Saturated
from .steady_rate import SteadyRate
from .two_threads import TwoThreads

SCENARIOS = (
    Saturated.passing(),
    Saturated.denying(),
    SteadyRate(),
    TwoThreads(),
    Multiplexed(),
    Bodies.downloads(),
    Bodies.uploads(),
    IdleConnections(),
    ManyRules(),
    DistinctClients(),
    Reloading(),
    Allocations(),
)
