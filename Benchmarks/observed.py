#!/usr/bin/env python3
"""Counts the instructions per request that metrics, census and circuit breaker cost, on all threads."""

import argparse
import contextlib
import itertools
import random
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True

from dearest import cases  # noqa: E402
from dearest.callgrind import Gate  # noqa: E402
from dearest.client import Connection  # noqa: E402
from sidebyside import traffic  # noqa: E402
from sidebyside.candidates import BACKEND  # noqa: E402
from sidebyside.options import BUILT_GATE  # noqa: E402
from sidebyside.server import free_port, unwind_when_stopped  # noqa: E402

FOLDER = Path(__file__).parent
# A gate with 10,000 requests a second and a fetch every 10 seconds.
REQUESTS_PER_FETCH, FETCH_SECONDS = 100_000, 10
# The requests per count: the mixed heads once each, which are all that a fetch can contain. A crowd is infinite, so these are
# as many as in a fetch, or enough for a measurement without a fetch.
COUNTED = {traffic.MIXED.name: traffic.HEADS, traffic.CROWD.name: 20_000}
COUNTED_WITH_FETCH = COUNTED | {traffic.CROWD.name: REQUESTS_PER_FETCH}
# The time between fetches, which is longer than the requests in a count take.
INTERVAL_SECONDS = {traffic.MIXED.name: 20, traffic.CROWD.name: 90}
# More instructions than a second without a fetch takes.
FETCH_INSTRUCTIONS = 3_000_000
IDLE_SECONDS = 10


def requests(kind, denied):
    """An infinite series of requests for a kind of traffic, each with unique numbers."""
    heads = kind.make(denied)
    chance = random.Random(3)
    weights = [1 / (place + 1) for place in range(len(heads))]
    number = itertools.count()
    mark = traffic.NUMBER.encode()
    while True:
        # Drawn from a Zipf distribution, or in order.
        for one in chance.choices(heads, weights, k=10_000) if kind.by_zipf else heads:
            while mark in one:
                one = one.replace(mark, b"%08d" % next(number), 1)
            yield one


@dataclass
class Price:
    """The instructions of a gate, by purpose."""

    request: float
    # Per second, independent of requests.
    second: float
    fetch: float = 0

    @property
    def with_fetch(self):
        """The instructions per request, including a share of a fetch."""
        return self.request + (self.fetch + self.second * FETCH_SECONDS) / REQUESTS_PER_FETCH


def idle(gate):
    """Returns the number of instructions in a second without requests."""
    gate.count()
    begun = time.monotonic()
    time.sleep(IDLE_SECONDS)
    return gate.count() / (time.monotonic() - begun)


def ask(gate, source, count, second):
    """Returns the instructions of a request, without those of timers, which are many because callgrind is slow."""
    # An idle connection would have been closed.
    connection = Connection(gate.port)
    gate.count()
    begun = time.monotonic()
    for one in itertools.islice(source, count):
        connection.ask(one)
    instructions = gate.count() - second * (time.monotonic() - begun)
    connection.close()
    return instructions / count


def wait_for_fetch(gate, interval, second):
    """Returns the number of instructions to fetch, parse and write the census."""
    begun = time.monotonic()
    total = 0
    while time.monotonic() < begun + 2 * interval:
        time.sleep(1)
        count = gate.count()
        total += count
        if count > FETCH_INSTRUCTIONS:
            time.sleep(1)
            return total + gate.count() - second * (time.monotonic() - begun)
    raise SystemExit("the census was not fetched")


def measure(gate, kind, denied):
    """Returns the cost of a request in a kind of traffic, for a gate without fetches."""
    source, count = requests(kind, denied), COUNTED[kind.name]
    second = idle(gate)
    ask(gate, source, count, second)
    return Price(ask(gate, source, count, second), second)


def measure_with_fetch(gate, kind, denied):
    """Returns the cost of a request and of its fetch."""
    source, count, interval = requests(kind, denied), COUNTED_WITH_FETCH[kind.name], INTERVAL_SECONDS[kind.name]
    # Previous requests are fetched first.
    ask(gate, source, 1_000, 0)
    wait_for_fetch(gate, interval, 0)
    second = idle(gate)
    # After a first fetch, the texts in each fetch are cached.
    ask(gate, source, count, second)
    wait_for_fetch(gate, interval, second)
    request = ask(gate, source, count, second)
    return Price(request, second, wait_for_fetch(gate, interval, second))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gate", type=Path, default=BUILT_GATE, metavar="PROGRAM")
    arguments = parser.parse_args()
    unwind_when_stopped()
    missing = [tool for tool in ("valgrind", "nginx") if not shutil.which(tool)]
    if missing or not arguments.gate.exists():
        print("no figures: there is no", ", ".join(missing or [str(arguments.gate)]))
        return
    prices = {}
    with tempfile.TemporaryDirectory(prefix="gate-observed-") as name, contextlib.ExitStack() as ends:
        folder = Path(name)
        backend = BACKEND.start(folder / "backend", 0, (0, 1))
        ends.callback(backend.stop)
        backend.wait_until_listening()

        @contextlib.contextmanager
        def started(way, *flags):
            (folder / way).mkdir()
            gate = Gate(
                arguments.gate.resolve(), folder / way, FOLDER / "rules.yaml", backend.port, *flags
            )
            try:
                gate.wait_until_ready(lambda: Connection(gate.port).ask(cases.request()))
                yield gate
            finally:
                gate.stop()

        admin = ("--admin-listen", f"127.0.0.1:{free_port()}")
        for kind in (traffic.MIXED, traffic.CROWD):
            with started(f"off-{kind.name}", "--census", "off", "--latency-metrics", "false") as gate:
                for denied in (False, True):
                    prices[kind.case(denied), "off"] = measure(gate, kind, denied)
            with started(f"metrics-{kind.name}", "--census", "off", *admin) as gate:
                for denied in (False, True):
                    prices[kind.case(denied), "metrics"] = measure(gate, kind, denied)
            with started(
                f"all-{kind.name}", *admin, "--state-dir", str(folder / f"state-{kind.name}"),
                "--census-interval", str(INTERVAL_SECONDS[kind.name]),
            ) as gate:
                for denied in (False, True):
                    prices[kind.case(denied), "all"] = measure_with_fetch(gate, kind, denied)
    tell(prices)


def tell(prices):
    print(
        f"{'instructions':14}{'off':>9}{'metrics':>9}{'all on':>9}{'a second':>11}{'a fetch':>13}"
        f"   more for each of {REQUESTS_PER_FETCH:,} requests in a fetch, every {FETCH_SECONDS} s"
    )
    for case in dict.fromkeys(case for case, _ in prices):
        off, metrics, everything = (prices[case, way] for way in ("off", "metrics", "all"))
        print(
            f"{case:14}{off.request:9,.0f}{metrics.request - off.request:+9,.0f}"
            f"{everything.request - off.request:+9,.0f}{everything.second:11,.0f}{everything.fetch:13,.0f}"
            f"   {everything.with_fetch - off.with_fetch:+,.0f}"
        )


if __name__ == "__main__":
    main()
