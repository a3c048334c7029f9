"""The cost of routes to other backends, in instructions per request."""

import functools
from pathlib import Path

from ..callgrind import Counter
from ..candidates import GATE, REFERENCE
from ..load import faults_in, missing
from ..packages import find_program
from ..run import Column, Run
from ..setup import RULES, Setup
from ..traffic import HEADLINES
from .instructions import ROUNDS, count

ROUTES = Path(RULES).with_name("routes.yaml")


class Routes:
    """Rules without routes compared with the same rules and three routes, and nginx with a map for the same split."""

    name = "routes"
    title = "instructions in user space per request that passes, HTTP/1.1: without routes, and with three"
    reference = f"{GATE}, no route"
    compared = ()
    # A count, not a measurement.
    max_rounds = 1
    columns = tuple(Column(each.name, each.name, "{:,.0f}", has_ratio=True) for each in HEADLINES)

    def rows(self, bench):
        reason = missing("http1")
        if find_program("callgrind_control") is None:
            reason = "there is no valgrind"
        if reason:
            print(f"skipped: {self.name}: {reason}")
            return {}
        return {
            f"{candidate.name}, {'three routes' if routes else 'no route'}":
                functools.partial(self._measure, bench, candidate, routes)
            for candidate in bench.candidates
            if candidate.name in (GATE, REFERENCE)
            for routes in (False, True)
        }

    def _measure(self, bench, candidate, routes, number):
        figures, faults = {}, []
        setup = Setup(counted=True, routes=routes, rules=ROUTES if routes else RULES)
        with bench.fresh_server(candidate, setup) as server:
            counter = Counter(server.pid, server.folder)
            for traffic in HEADLINES:
                with bench.start_load(server, traffic, False, protocol="http1", seed=number + 1) as load:
                    phases = [load.run(requests=traffic.warm_up_requests)]
                    counter.switch(True)
                    phases.append(load.run(rounds=ROUNDS[0]))
                    figures[traffic.name] = count(counter, load, phases)
                    counter.switch(False)
                faults += [f"{traffic.name}: {fault}" for fault in faults_in(*phases)]
        return Run(figures, tuple(faults))
