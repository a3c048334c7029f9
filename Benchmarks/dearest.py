#!/usr/bin/env python3
"""Counts the instructions of requests and frames that are designed to be expensive, and of a normal request."""

import argparse
import contextlib
import itertools
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True

from dearest import cases  # noqa: E402
from dearest.callgrind import Gate  # noqa: E402
from dearest.client import PING, ACK, Connection, Connection2, frame  # noqa: E402
from sidebyside.candidates import BACKEND  # noqa: E402
from sidebyside.options import BUILT_GATE  # noqa: E402
from sidebyside.server import unwind_when_stopped  # noqa: E402

FOLDER = Path(__file__).parent
# Enough requests for the verdicts on all builds of the mixed requests to be cached.
WARM_UP = 200
# So many that the work of timers and other threads is a negligible part of a count.
COUNTED = 400
# The median of several counts excludes rare work.
COUNTS = 3
# The time in which a new gate finishes its work after the start.
SETTLE_SECONDS = 3
# A frame that starts no request is cheap, so many are needed; this number is within the flood budgets.
FRAMES = 60
# The limit for a request is the cost of a mixed pass, plus this for each decoded byte.
PER_BYTE = 10
FRAME_LIMIT = 5_000


def median(gate, ask):
    """Returns the median number of instructions of a request."""
    counts = []
    gate.count()
    for _ in range(COUNTS):
        ask()
        counts.append(gate.count())
    return statistics.median(counts)


def measure_requests(gate, kinds):
    """Returns name, bytes and instructions of each kind of request."""
    for name, requests in kinds:
        connection = Connection(gate.port)
        for one in itertools.islice(requests, WARM_UP):
            connection.ask(one)
        chosen = list(itertools.islice(requests, COUNTED * COUNTS))
        rest, statuses = iter(chosen), set()

        def ask():
            statuses.update(connection.ask(one) for one in itertools.islice(rest, COUNTED))

        instructions = median(gate, ask) / COUNTED
        connection.close()
        size = sum(map(len, chosen)) / len(chosen)
        yield name, size, instructions, "/".join(map(str, sorted(statuses)))


def measure_http2(gate):
    connection = Connection2(gate.port)
    # A client sends its fields in the same order each time; 62 is the newest entry of the dynamic table.
    first = cases.block(cases.identity())
    connection.ask(first)
    fields = bytes(0x80 | 62 + index for index in reversed(range(len(cases.APP) - 1)))
    for name, remembered, block, size in [
        ("HTTP/2, one client by indexes", b"", cases.block(fields), len(cases.request())),
        ("HTTP/2, list of 3,900 B by index", cases.REMEMBERED_LIST, cases.block(b"\xbe"), 3_960),
    ]:
        if remembered:
            connection.ask(cases.block(remembered))
        for _ in range(WARM_UP):
            connection.ask(block)

        def ask():
            for _ in range(COUNTED):
                connection.ask(block)

        yield name, size, median(gate, ask) / COUNTED, "200"
    connection.close()


def measure_frames(gate):
    """Returns the same for frames that start no request."""
    for name, make in cases.FRAMES:
        connection = Connection2(gate.port)
        post = b"\x83\x86" + cases.literal(b":path", b"/upload") \
            + cases.literal(b":authority", cases.HOST)
        stream = connection.open(post, ends=False)
        answered = frame(PING, 0, 0, b"answered")

        def send(count):
            # With a pause between them, as an attacker would send them.
            for _ in range(count):
                connection.send(make(stream))
            connection.send(answered)
            while connection.wait_for(PING, flags=ACK) != b"answered":
                pass

        send(5)
        yield name, len(make(stream)), median(gate, lambda: send(FRAMES)) / FRAMES, ""
        connection.close()


def report_requests(rows):
    """Prints a table with a mixed pass in the first row, and returns the rows above their limits."""
    mixed = rows[0][2]
    above = []
    print("| request | bytes | instructions | of a mixed pass | limit | answer |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, size, instructions, statuses in rows:
        limit = mixed + PER_BYTE * size
        print(f"| {name} | {size:,.0f} | {instructions:,.0f} | {instructions / mixed:.2f} "
              f"| {limit:,.0f} | {statuses} |")
        if instructions > limit:
            above.append(name)
    return above


def report(rows, logged_rows, frames):
    """Prints all tables, and returns the rows above their limits."""
    above = report_requests(rows)
    print()
    above += report_requests(logged_rows)
    print("\n| frame | bytes | instructions | limit |\n| --- | --- | --- | --- |")
    for name, size, instructions, _ in frames:
        limit = FRAME_LIMIT + PER_BYTE * size
        print(f"| {name} | {size} | {instructions:,.0f} | {limit:,.0f} |")
        if instructions > limit:
            above.append(name)
    return above


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/dearest.py", description=__doc__)
    parser.add_argument("--gate", type=Path, default=BUILT_GATE, help="the gate's binary")
    options = parser.parse_args()
    unwind_when_stopped()
    if shutil.which("callgrind_control") is None:
        return "cannot count without valgrind"
    with tempfile.TemporaryDirectory(prefix="versiongate-dearest-") as name:
        folder = Path(name)
        backend = BACKEND.start(folder / "backend", 0, (0, 1))
        try:
            backend.wait_until_listening()

            @contextlib.contextmanager
            def gate(name, *flags):
                (folder / name).mkdir()
                rules = FOLDER / "rules.yaml"
                gate = Gate(options.gate.resolve(), folder / name, rules, backend.port, *flags)
                try:
                    gate.wait_until_ready(lambda: Connection(gate.port).ask(cases.request()))
                    time.sleep(SETTLE_SECONDS)
                    yield gate
                finally:
                    gate.stop()

            with gate("plain") as plain:
                rows = list(measure_requests(plain, cases.REQUESTS)) + list(measure_http2(plain))
                frames = list(measure_frames(plain))
            with gate("logged", "--access-log") as logged:
                logged_rows = list(measure_requests(logged, cases.LOGGED_REQUESTS))
        finally:
            backend.stop()
    above = report(rows, logged_rows, frames)
    for name in above:
        print(f"ABOVE ITS LIMIT: {name}")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
