#!/usr/bin/env python3
"""Compares two builds of the gate, or the gate with another proxy, on a machine whose speed changes all the time.

Both run at the same time on one core, and take turns of about 50 ms: first, second, second, first. So the speed of the
machine affects both equally, unlike in a comparison of runs of a second each. A process can be faster than another one of
the same program for its whole life, because its memory is elsewhere. Therefore, both are started several times, and the
confidence interval is that of the starts.
"""

import argparse
import contextlib
import math
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True

from sidebyside import machine  # noqa: E402
from sidebyside.bench import Bench  # noqa: E402
from sidebyside.candidates import PEERS, gate  # noqa: E402
from sidebyside.options import BUILT_GATE, between  # noqa: E402
from sidebyside.run import LoadFailed  # noqa: E402
from sidebyside.scenarios import HEADLINE_SCENARIOS, RealTraffic  # noqa: E402
from sidebyside.server import ServerFailed, unwind_when_stopped  # noqa: E402
from sidebyside.setup import Setup  # noqa: E402
from sidebyside.traffic import POST  # noqa: E402
from sidebyside.turns import STUDENT, mean_and_error, turn  # noqa: E402

SCENARIOS = {each.name: each for each in (*HEADLINE_SCENARIOS, RealTraffic(POST, denied=False))}


def candidate(name):
    """Returns the proxy with that name, or the gate with that path."""
    found = next((each for each in PEERS if each.name == name), None) or gate(Path(name).resolve())
    if reason := found.missing():
        raise argparse.ArgumentTypeError(reason)
    return found


def one_start(bench, scenario, options, number):
    """Starts both; returns the logarithms of the median ratios, after to before, of CPU and of time."""
    setup = Setup(tls=scenario.protocol == "http2")
    sign = 1 if number % 2 == 0 else -1
    with contextlib.ExitStack() as stack:
        running = []
        for each in (options.before, options.after)[::sign]:
            server = stack.enter_context(bench.fresh_server(each, setup))
            generator = stack.enter_context(bench.start_load(
                server, scenario.traffic, scenario.denied, protocol=scenario.protocol, seed=number + 1,
            ))
            generator.run(requests=scenario.traffic.warm_up_requests)
            running.append((server.pids(), generator))
        ratios = []
        for _ in range(options.turns):
            first, second = (turn(*each, options.requests) for each in running)
            third, fourth = (turn(*each, options.requests) for each in reversed(running))
            ratios.append([
                math.log((second[each] + third[each]) / (first[each] + fourth[each])) for each in (0, 1)
            ])
    return [sign * statistics.median(column) for column in zip(*ratios)]


def interval(logarithms):
    """Returns the geometric mean of the ratios and its 95% confidence interval, as text."""
    middle, error = mean_and_error(logarithms)
    return " | ".join(f"{math.exp(each):.3f}" for each in (middle, middle - error, middle + error))


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/pairs.py", description=__doc__)
    names = ", ".join(each.name for each in PEERS)
    parser.add_argument("--before", type=candidate, required=True, metavar="PROXY",
                        help=f"what to compare with: a gate's binary, or one of {names}")
    parser.add_argument("--after", type=candidate, default=str(BUILT_GATE), metavar="PROXY",
                        help="what to measure (default: the built gate)")
    parser.add_argument("--starts", type=between(min(STUDENT), max(STUDENT)), default=6)
    parser.add_argument("--turns", type=between(1, 1000), default=60, help="the fourfold turns of each start")
    parser.add_argument("--requests", type=between(100, 100_000), default=1000, help="the requests of a turn")
    parser.add_argument("--connections", type=between(1, 512), default=64)
    parser.add_argument("--scenario", nargs="+", choices=SCENARIOS, default=list(SCENARIOS))
    options = parser.parse_args()
    options.seconds = 1
    unwind_when_stopped()
    try:
        proxy_cores, load_cores = machine.split_cores()
        with Bench([], options, proxy_cores, load_cores) as bench:
            return compare(bench, options)
    except (ServerFailed, machine.TooFewCores) as failure:
        return f"cannot measure: {failure}"


def compare(bench, options):
    """Prints a row for each scenario; returns 1 if one could not be measured."""
    print("| scenario | CPU, after to before | from | to | time, after to before | from | to |")
    print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    status = 0
    for name in options.scenario:
        try:
            starts = [one_start(bench, SCENARIOS[name], options, each) for each in range(options.starts)]
        except (ServerFailed, LoadFailed) as failure:
            print(f"| {name} | {failure} | | | | | |", flush=True)
            status = 1
        else:
            print(f"| {name} | {' | '.join(map(interval, zip(*starts)))} |", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
