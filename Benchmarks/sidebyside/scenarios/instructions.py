"""The number of instructions per request, which does not depend on other load."""

import functools
import statistics

from ..callgrind import Counter
from ..candidates import GATE, REFERENCE
from ..load import faults_in, missing
from ..packages import find_program
from ..run import Column, Compared, LoadFailed, Run
from ..setup import Setup

CANDIDATES = (REFERENCE, "haproxy", GATE)
# The cost of the requests is the difference between two counts, one of which has three times as
# many requests, because both counts include the start and the end of a phase.
ROUNDS = (3, 9)
COUNTS = 3


class Instructions:
    """All kinds of traffic, one program after the other."""

    reference = REFERENCE
    # A count, not a measurement.
    max_rounds = 1

    def __init__(self, traffic, protocol, passing=()):
        """`passing` lists the traffic that is measured only with requests that pass."""
        kinds = [(each, denied) for each in traffic for denied in (False, True)]
        kinds += [(each, False) for each in passing]
        self._kinds = {each.case(denied): (each, denied) for each, denied in kinds}
        self._protocol = protocol
        self.name = "instructions" if protocol == "http1" else "instructions-http2"
        how = "HTTP/1.1" if protocol == "http1" else "HTTP/2 with TLS"
        self.title = (
            f"instructions in user space per request, {how}, and the ratio to {REFERENCE}"
        )
        self.columns = tuple(
            Column(name.replace("-", " "), name, "{:,.0f}", has_ratio=True) for name in self._kinds
        )
        self.compared = tuple(
            Compared(name, f"instructions per request, {name}") for name in self._kinds
        )

    def rows(self, bench):
        if not can_count(self.name, self._protocol):
            return {}
        return {
            candidate.name: functools.partial(self._measure, bench, candidate)
            for candidate in bench.candidates
            if candidate.name in CANDIDATES
        }

    def _measure(self, bench, candidate, number):
        setup = Setup(tls=self._protocol == "http2", counted=True)
        return measure(bench, candidate, setup, self._kinds, self._protocol, number)


def can_count(name, protocol):
    """Whether the programs for a scenario are installed; prints the reason if they are not."""
    reason = missing(protocol)
    if find_program("callgrind_control") is None:
        reason = "there is no valgrind"
    if reason:
        print(f"skipped: {name}: {reason}")
    return not reason


def measure(bench, candidate, setup, kinds, protocol, number):
    """Measures one program; `kinds` maps the name of a figure to its traffic and whether that is denied."""
    figures, faults = {}, []
    with bench.fresh_server(candidate, setup) as server:
        counter = Counter(server.pid, server.folder)
        for name, (traffic, denied) in kinds.items():
            with bench.start_load(server, traffic, denied, protocol=protocol, seed=number + 1) as load:
                phases = [load.run(requests=traffic.warm_up_requests)]
                counter.switch(True)
                phases.append(load.run(rounds=ROUNDS[0]))
                figures[name] = count(counter, load, phases)
                counter.switch(False)
            faults += [f"{name}: {fault}" for fault in faults_in(*phases)]
    return Run(figures, tuple(faults))


def count(counter, load, phases):
    """Returns the instructions of a request, as the median of several counts."""
    counts = []
    for _ in range(COUNTS):
        totals, requests = [], []
        for rounds in ROUNDS:
            counter.count()
            phases.append(load.run(rounds=rounds))
            totals.append(counter.count())
            requests.append(phases[-1]["requests"])
        if requests[0] >= requests[1]:
            raise LoadFailed("connections were closed")
        counts.append((totals[1] - totals[0]) / (requests[1] - requests[0]))
    return statistics.median(counts)
