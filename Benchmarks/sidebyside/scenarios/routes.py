"""The cost of routes to other backends, in instructions per request."""

import functools

from ..candidates import GATE, REFERENCE
from ..run import Column
from ..setup import RULES, Setup
from ..traffic import HEADLINES
from .instructions import can_count, measure

ROUTES = RULES.with_name("routes.yaml")


class Routes:
    """Rules without routes compared with the same rules and three routes, and nginx with a map for the same split."""

    name = "routes"
    title = "instructions in user space per request that passes, HTTP/1.1: without routes, and with three routes"
    reference = f"{GATE}, no route"
    compared = ()
    # A count, not a measurement.
    max_rounds = 1
    columns = tuple(Column(each.name, each.name, "{:,.0f}", has_ratio=True) for each in HEADLINES)

    def rows(self, bench):
        if not can_count(self.name, "http1"):
            return {}
        return {
            f"{candidate.name}, {'three routes' if routes else 'no route'}":
                functools.partial(self._measure, bench, candidate, routes)
            for candidate in bench.candidates
            if candidate.name in (GATE, REFERENCE)
            for routes in (False, True)
        }

    @staticmethod
    def _measure(bench, candidate, routes, number):
        setup = Setup(counted=True, routes=routes, rules=ROUTES if routes else RULES)
        kinds = {each.name: (each, False) for each in HEADLINES}
        return measure(bench, candidate, setup, kinds, "http1", number)
