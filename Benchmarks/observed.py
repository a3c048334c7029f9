#!/usr/bin/env python3
"""Counts what a request costs more when the gate is looked at: metrics, census and breaker, all threads."""

import argparse
import contextlib
import itertools
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True

from dearest import cases  # noqa: E402
from dearest.callgrind import Gate  # noqa: E402
from dearest.client import Connection  # noqa: E402
from sidebyside import traffic  # noqa: E402
from sidebyside.candidates import BACKEND  # noqa: E402
from sidebyside.server import free_port  # noqa: E402

FOLDER = Path(__file__).parent
BUILT_GATE = FOLDER.parent / ".build" / "release" / "versiongate"
# The mixed heads each once, and as many kinds of clients of a crowd as a fetch sees.
COUNTED = {traffic.MIXED.name: traffic.HEADS, traffic.CROWD.name: 20_000}
# Longer than it takes to ask for the requests that are counted.
INTERVAL_SECONDS = 40
# More than a second without a fetch takes.
FETCH_INSTRUCTIONS = 3_000_000
# A gate with 10,000 requests a second that is fetched every 10 seconds.
REQUESTS_PER_FETCH = 100_000


def requests(kind, denied):
    """The requests of a kind of traffic, without end, each with numbers of its own."""
    heads = kind.make(denied)
    chance = random.Random(3)
    weights = [1 / (place + 1) for place in range(len(heads))]
    number = itertools.count()
    mark = traffic.NUMBER.encode()
    while True:
        # By Zipf's law, or one after the other.
        for one in chance.choices(heads, weights, k=10_000) if kind.by_zipf else heads:
            while mark in one:
                one = one.replace(mark, b"%08d" % next(number), 1)
            yield one


def ask(gate, source, count):
    """The instructions while so many requests are asked for; an idle connection would be closed."""
    connection = Connection(gate.port)
    gate.count()
    for one in itertools.islice(source, count):
        connection.ask(one)
    instructions = gate.count()
    connection.close()
    return instructions


def wait_for_fetch(gate):
    """The instructions until the census was fetched, read and written."""
    total = 0
    deadline = time.monotonic() + 2 * INTERVAL_SECONDS
    while time.monotonic() < deadline:
        time.sleep(1)
        count = gate.count()
        total += count
        if count > FETCH_INSTRUCTIONS:
            time.sleep(1)
            return total + gate.count()
    raise SystemExit("the census was not fetched")


def measure(gate, kind, denied, is_fetched):
    """Instructions of each request while it is asked for, and of a fetch."""
    source, count = requests(kind, denied), COUNTED[kind.name]
    ask(gate, source, count)
    if not is_fetched:
        return ask(gate, source, count) / count, 0
    # Once before: what comes in each fetch is known then.
    wait_for_fetch(gate)
    ask(gate, source, count)
    wait_for_fetch(gate)
    return ask(gate, source, count) / count, wait_for_fetch(gate)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gate", type=Path, default=BUILT_GATE, metavar="PROGRAM")
    arguments = parser.parse_args()
    missing = [tool for tool in ("valgrind", "nginx") if not shutil.which(tool)]
    if missing or not arguments.gate.exists():
        print("no figures: there is no", ", ".join(missing or [str(arguments.gate)]))
        return
    rows = {}
    with tempfile.TemporaryDirectory(prefix="gate-observed-") as name, contextlib.ExitStack() as ends:
        folder = Path(name)
        backend = BACKEND.start(folder / "backend", 0, (0, 1))
        ends.callback(backend.stop)
        backend.wait_until_listening()
        for way, flags in {
            "off": ["--census", "off", "--latency-metrics", "false"],
            "metrics": ["--census", "off", "--admin-listen", f"127.0.0.1:{free_port()}"],
            "all": [
                "--admin-listen", f"127.0.0.1:{free_port()}", "--state-dir", str(folder / "state"),
                "--census-interval", str(INTERVAL_SECONDS),
            ],
        }.items():
            (folder / way).mkdir()
            gate = Gate(
                arguments.gate.resolve(), folder / way, FOLDER / "rules.yaml", backend.port, *flags
            )
            ends.callback(gate.stop)
            gate.wait_until_ready(lambda: Connection(gate.port).ask(cases.request()))
            for kind in (traffic.MIXED, traffic.CROWD):
                for denied in (False, True):
                    rows[kind.case(denied), way] = measure(gate, kind, denied, way == "all")
    print(
        f"{'instructions':14}{'off':>9}{'metrics':>9}{'all on':>9}{'a fetch':>13}"
        f"   more for each of {REQUESTS_PER_FETCH:,} requests in a fetch"
    )
    for case in dict.fromkeys(case for case, _ in rows):
        off, metrics, (everything, fetch) = (
            rows[case, "off"][0], rows[case, "metrics"][0], rows[case, "all"]
        )
        more = everything - off + fetch / REQUESTS_PER_FETCH
        print(
            f"{case:14}{off:9,.0f}{metrics - off:+9,.0f}{everything - off:+9,.0f}{fetch:13,.0f}"
            f"   {more:+,.0f}"
        )


if __name__ == "__main__":
    main()
