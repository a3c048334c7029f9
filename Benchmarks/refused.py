#!/usr/bin/env python3
"""Measures the effect of denied, endless uploads on other clients, and the bytes that the gate discards."""

import argparse
import re
import statistics
import sys
import tempfile
import urllib.request
from pathlib import Path

sys.dont_write_bytecode = True

from sidebyside.candidates import BACKEND  # noqa: E402
from sidebyside.h2load import paced_times, percentile  # noqa: E402
from sidebyside.options import BUILT_GATE  # noqa: E402
from sidebyside.server import unwind_when_stopped  # noqa: E402
from updates.app import HEADERS, RULES  # noqa: E402
from updates.gate import Gate  # noqa: E402
from uploads.attack import Attack  # noqa: E402

CORES = (0, 1)
# The values from docs/tls-and-http2.md: 16 bodies of the maximum size at once, and as many again in the time for one body.
LIMIT, SECONDS, BODIES = 64 * 2**20, 30, 16
# The free bytes of each body, and bytes in transit when the window is exhausted.
FREE = 256 * 1024
MOST_TIMES = 2
MOST_MIB = 100


def discarded(gate):
    with urllib.request.urlopen(f"http://127.0.0.1:{gate.admin_port}/metrics", timeout=5) as answer:
        text = answer.read().decode()
    return int(float(re.search(r"^versiongate_discarded_body_bytes_total (\S+)$", text, re.MULTILINE)[1]))


def phase(gate, folder, options, attacks):
    attack = Attack(gate.port, options.connections, options.streams, options.again) if attacks else None
    before = discarded(gate)
    if attack:
        attack.start()
    times = paced_times(gate, HEADERS, folder, rate=options.rate, seconds=options.seconds, cores=CORES)
    resident = gate.resident_bytes()
    sent, resets = attack.end() if attack else (0, 0)
    return {
        "p50": percentile(times, 0.5), "p99": percentile(times, 0.99), "resident": resident / 2**20,
        "sent": sent, "resets": resets, "discarded": discarded(gate) - before,
    }


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/refused.py", description=__doc__)
    parser.add_argument("--gate", type=Path, default=BUILT_GATE, help="the gate's binary")
    parser.add_argument("--connections", type=int, default=100, help="of the attack (default 100)")
    parser.add_argument("--streams", type=int, default=10, help="uploads on each connection (default 10)")
    parser.add_argument("--again", action="store_true", help="start another upload after each one that the gate resets")
    parser.add_argument("--pairs", type=int, default=3, help="phases with the attack (default 3)")
    parser.add_argument("--rate", type=int, default=1000, help="requests a second of others (default 1000)")
    parser.add_argument("--seconds", type=int, default=20, help="of a phase (default 20)")
    options = parser.parse_args()
    unwind_when_stopped()
    findings = []
    with tempfile.TemporaryDirectory(prefix="versiongate-refused-") as name:
        folder = Path(name)
        backend = BACKEND.start(folder / "backend", 0, CORES)
        try:
            backend.wait_until_listening()
            gate = Gate(options.gate.resolve(), folder, RULES, backend.port, threads=1)
            try:
                if not gate.wait_until(lambda: gate.resident_bytes() and can_ask(gate)):
                    raise SystemExit("the gate does not start")
                phase(gate, folder, options, False)
                quiet, attacked = [], []
                for _ in range(options.pairs):
                    quiet.append(phase(gate, folder, options, False))
                    attacked.append(phase(gate, folder, options, True))
            finally:
                if gate.stop() != 0:
                    findings.append("the gate did not end properly")
        finally:
            backend.stop()
    count = options.connections * options.streams
    print(f"{count} endless uploads over {options.connections} connections, in {len(attacked)} phases of {options.seconds} s")
    for key in ("p50", "p99"):
        without, attack = (statistics.median(each[key] for each in phases) for phases in (quiet, attacked))
        print(f"{options.rate} requests a second by others, {key}: {without:.3f} ms without, {attack:.3f} ms with them "
              f"({attack / without:.2f} times)")
        if key == "p99" and attack > MOST_TIMES * without:
            findings.append(f"p99 is more than {MOST_TIMES} times as high")
    resident = max(each["resident"] for each in attacked)
    print(f"MiB resident: {max(each['resident'] for each in quiet):.1f} without, {resident:.1f} with them")
    if resident > MOST_MIB:
        findings.append(f"more than {MOST_MIB} MiB")
    thrown = sum(each["discarded"] for each in attacked)
    seconds = options.seconds * 2 * len(attacked)
    resets = sum(each["resets"] for each in attacked)
    most = LIMIT * BODIES * (1 + seconds / SECONDS) + (count * len(attacked) + resets) * FREE
    print(f"discarded: {thrown / 2**20:.0f} MiB of {sum(each['sent'] for each in attacked) / 2**20:.0f} MiB sent, "
          f"{resets} streams reset; the budget of one client is {most / 2**20:.0f} MiB")
    if thrown > most:
        findings.append("more bytes were discarded than the budget allows")
    for finding in findings:
        print(f"FAILED: {finding}")
    return 1 if findings else 0


def can_ask(gate):
    try:
        return discarded(gate) == 0
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main())
