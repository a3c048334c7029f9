#!/usr/bin/env python3
"""Requests the page's data for 90 days, 500 versions and 50 rules, and measures the effect on clients' requests."""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True

from page.census import spread, start, visit  # noqa: E402
from page.views import CANDIDATES, IMPACT, Browser, Window  # noqa: E402
from sidebyside.candidates import BACKEND  # noqa: E402
from sidebyside.h2load import paced_times, percentile  # noqa: E402
from sidebyside.options import BUILT_GATE  # noqa: E402
from sidebyside.server import unwind_when_stopped  # noqa: E402
from updates.noise import differences, most_by_chance, noise  # noqa: E402

CORES = (0, 1)
MOST_SECONDS = 0.2
WINDOWS = 2
FEWEST_PAIRS = 3
HEADERS = {
    "Host": "api.example.com", "X-App-Platform": "ios", "X-App-Version": "3.4.9",
    "X-Device-Id": "one", "Accept-Language": "ja-JP",
}
ALONE = (
    "GET /api/v1/traffic?since=24h", "GET /api/v1/traffic?since=7d", "GET /api/v1/traffic?since=90d",
    "GET /api/v1/census?since=1h", "GET /api/v1/census?since=7d", "GET /api/v1/census?since=90d",
    "GET /api/v1/overview", "GET /api/v1/adoption?since=30d", "GET /api/v1/adoption?since=90d",
    IMPACT, CANDIDATES[0],
)


def p95(values):
    return percentile(values, 0.95)


def measure_views(port, rounds):
    """Prints how long each view takes, and returns the views that take too long."""
    late = []

    def tell(what, values):
        print(f"{what:52} first {values[0]:.3f} s, then median {statistics.median(values[1:]):.3f} s, "
              f"95th percentile {p95(values[1:]):.3f} s")
        if p95(values[1:]) > MOST_SECONDS:
            late.append(f"{what}: {p95(values[1:]):.3f} s")

    browser = Browser(port)
    for span in ("24h", "90d"):
        loads = [browser.load(span) for _ in range(rounds + 1)]
        print(f"the page's load, traffic of {span}: seconds until each response is complete")
        for question in loads[0]:
            tell(f"  {question}", [load[question] for load in loads])
        tell("  all", [max(load.values()) for load in loads])
    print("each request by itself")
    for question in ALONE:
        tell(f"  {question}", [browser.seconds(question) for _ in range(rounds + 1)])
    return [f"longer than {MOST_SECONDS} s: {each}" for each in late]


def phase(gate, folder, options, windows):
    """Returns the times of clients' requests in milliseconds, while this many windows send requests."""
    asking = [
        Window(gate.admin_port, options.every, number * options.seconds / WINDOWS) for number in range(windows)
    ]
    for window in asking:
        window.start()
    times = paced_times(gate, HEADERS, folder, rate=options.rate, seconds=options.seconds, cores=CORES)
    for window in asking:
        window.end()
    return {
        "p50": percentile(times, 0.5), "p99": percentile(times, 0.99), "requests": len(times),
        "looks": sum(window.looks for window in asking),
    }


def compare(gate, folder, options):
    """Prints the effect of the page on clients, and returns the failures."""
    phase(gate, folder, options, 0)
    quiet, busy = [phase(gate, folder, options, 0)], []
    for _ in range(options.pairs):
        busy.append(phase(gate, folder, options, WINDOWS))
        quiet.append(phase(gate, folder, options, 0))
    print(f"{options.rate} requests a second; {WINDOWS} windows that show 90 days poll every {options.every:g} s, "
          f"{sum(each['looks'] for each in busy)} times in {len(busy)} phases of {options.seconds} s")
    findings = []
    for name in ("p50", "p99"):
        without, asked = ([each[name] for each in phases] for phases in (quiet, busy))
        level = statistics.median(without)
        more = statistics.median(differences(without, asked))
        chance = most_by_chance(without, asked)
        print(f"{name}: {level:.3f} ms without the page, {more:+.3f} ms ({more / level:+.1%}) with two windows; "
              f"{chance:.3f} ms may be chance, since equal phases differ by {noise(without):.3f} ms")
        print("  no window:   " + ", ".join(f"{each:.3f}" for each in without))
        print("  two windows: " + ", ".join(f"{each:.3f}" for each in asked))
        if more > chance:
            findings.append(f"the page affects clients: {name} is {more:.3f} ms higher")
    return findings


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/page.py", description=__doc__)
    parser.add_argument("--gate", type=Path, default=BUILT_GATE, help="the gate's binary")
    parser.add_argument("--rounds", type=int, default=20, help="loads of the page (default 20)")
    parser.add_argument("--wait", type=int, default=15,
                        help="seconds between the start of the gate and the first load (default 15)")
    parser.add_argument("--pairs", type=int, default=8,
                        help="phases with windows, 0 for none (default 8)")
    parser.add_argument("--every", type=float, default=10,
                        help="seconds between a window's polls (default 10, as in the page)")
    parser.add_argument("--rate", type=int, default=2000, help="requests a second (default 2000)")
    parser.add_argument("--seconds", type=int, default=10, help="of a phase (default 10)")
    options = parser.parse_args()
    unwind_when_stopped()
    if options.pairs and options.pairs < FEWEST_PAIRS:
        parser.error("too few phases to tell how much equal phases differ")
    binary = options.gate.resolve()
    with tempfile.TemporaryDirectory(prefix="versiongate-page-") as name:
        folder = Path(name)
        backend = BACKEND.start(folder / "backend", 0, CORES)
        try:
            backend.wait_until_listening()
            gate = start(binary, folder, backend.port)
            visit(gate.port)
            gate.stop()
            print(spread(folder / "state"))
            gate = start(binary, folder, backend.port)
            try:
                # After its first write, the gate computes the results of the page's first requests.
                time.sleep(options.wait)
                findings = measure_views(gate.admin_port, options.rounds)
                if options.pairs:
                    findings += compare(gate, folder, options)
            finally:
                if gate.stop() != 0:
                    print("the gate did not end properly")
        finally:
            backend.stop()
        findings += gate.complaints()
    for finding in findings:
        print(f"FAILED: {finding}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
