#!/usr/bin/env python3
"""Occupies the admin listener with connections, and measures the effect on probes and on clients' requests."""

import argparse
import http.client
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True

from operators.crowd import Crowd  # noqa: E402
from sidebyside.candidates import BACKEND  # noqa: E402
from sidebyside.h2load import paced_times, percentile  # noqa: E402
from sidebyside.options import BUILT_GATE  # noqa: E402
from sidebyside.server import unwind_when_stopped  # noqa: E402
from updates.app import HEADERS, RULES  # noqa: E402
from updates.gate import Gate  # noqa: E402
from updates.noise import differences, most_by_chance, noise  # noqa: E402

CORES = (0, 1)
MOST_SECONDS = 0.1
FEWEST_PAIRS = 3


class Prober(threading.Thread):
    """Probes the gate once a second, on a new connection each time."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self._port = port
        self._over = threading.Event()
        # Seconds until the response; None for a probe without a 200.
        self.times = []

    def run(self):
        paths = ("/-/healthy", "/-/ready")
        due = time.monotonic()
        while not self._over.wait(max(0, due - time.monotonic())):
            due += 1
            began = time.monotonic()
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=5)
            try:
                connection.request("GET", paths[len(self.times) % 2])
                is_well = connection.getresponse().status == 200
            except OSError:
                is_well = False
            finally:
                connection.close()
            self.times.append(time.monotonic() - began if is_well else None)

    def end(self):
        self._over.set()
        self.join()


def phase(gate, folder, options, target=None):
    """Measures clients, probes and the process, while the target's connections are occupied."""
    counts = {"silent": options.silent, "streams": options.streams, "bodies": options.bodies}
    crowd = Crowd(target.admin_port, counts, options.again) if target else None
    prober = Prober(gate.admin_port)
    if crowd:
        crowd.start()
    prober.start()
    before = gate.cpu_seconds()
    times = paced_times(gate, HEADERS, folder, rate=options.rate, seconds=options.seconds, cores=CORES)
    used = [after - each for after, each in zip(gate.cpu_seconds(), before)]
    resident = gate.resident_bytes()
    prober.end()
    opened = crowd.end() if crowd else 0
    return {
        "p50": percentile(times, 0.5), "p99": percentile(times, 0.99), "probes": prober.times,
        "opened": opened, "others": used[1] / options.seconds, "resident": resident / 2**20,
    }


def compare(options, key, name, others, here):
    """Prints how much longer requests took than in other phases, and whether the difference is significant."""
    without, held = ([each[key] for each in phases] for phases in (others, here))
    level, more = statistics.median(without), statistics.median(differences(without, held))
    chance = most_by_chance(without, held)
    print(f"{options.rate} requests a second, {key}: {level:.3f} ms {name}, {more:+.3f} ms ({more / level:+.1%}) "
          f"with them here; {chance:.3f} ms may be chance, since equal phases differ by {noise(without):.3f} ms")
    print("  there: " + ", ".join(f"{each:.3f}" for each in without))
    print("  here:  " + ", ".join(f"{each:.3f}" for each in held))
    return more > chance


def tell_probes(phases, name):
    """Prints the response times of probes, and returns the number of failed or late ones."""
    probes = [each for phase in phases for each in phase["probes"]]
    answered = [each * 1000 for each in probes if each is not None]
    in_time = sum(each <= MOST_SECONDS * 1000 for each in answered)
    print(f"probes {name}: {in_time} of {len(probes)} got a response within {MOST_SECONDS * 1000:.0f} ms; "
          f"median {statistics.median(answered):.1f} ms, slowest {max(answered):.1f} ms")
    return len(probes) - in_time


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/operators.py", description=__doc__)
    parser.add_argument("--gate", type=Path, default=BUILT_GATE, help="the gate's binary")
    parser.add_argument("--silent", type=int, default=1000, help="connections that send nothing (default 1000)")
    parser.add_argument("--streams", type=int, default=400, help="event streams (default 400)")
    parser.add_argument("--bodies", type=int, default=300, help="bodies of a byte a second (default 300)")
    parser.add_argument("--again", type=float, default=1,
                        help="seconds until a closed connection is reopened (default 1)")
    parser.add_argument("--pairs", type=int, default=6, help="phases with the crowd (default 6)")
    parser.add_argument("--rate", type=int, default=1000, help="requests a second (default 1000)")
    parser.add_argument("--seconds", type=int, default=10, help="length of a phase (default 10)")
    options = parser.parse_args()
    unwind_when_stopped()
    if options.pairs < FEWEST_PAIRS:
        parser.error("too few phases to tell how much equal phases differ")
    findings = []
    with tempfile.TemporaryDirectory(prefix="versiongate-operators-") as name:
        folder = Path(name)
        backend = BACKEND.start(folder / "backend", 0, CORES)
        try:
            backend.wait_until_listening()
            gates = []
            try:
                for number in range(2):
                    (folder / str(number)).mkdir()
                    gates.append(Gate(options.gate.resolve(), folder / str(number), RULES, backend.port, threads=1))
                gate, other = gates
                for each in gates:
                    if not each.wait_until(each.is_listening):
                        raise SystemExit("the gate does not start")
                phase(gate, folder, options)
                quiet, elsewhere, here = [phase(gate, folder, options)], [phase(gate, folder, options, other)], []
                for _ in range(options.pairs):
                    here.append(phase(gate, folder, options, gate))
                    quiet.append(phase(gate, folder, options))
                    elsewhere.append(phase(gate, folder, options, other))
            finally:
                if any([each.stop() != 0 for each in gates]):
                    findings.append("a gate did not end properly")
        finally:
            backend.stop()
    print(f"{options.silent} silent connections, {options.streams} event streams and {options.bodies} slow bodies, reopened "
          f"after {options.again:g} s: {sum(each['opened'] for each in here)} connections opened in {len(here)} phases "
          f"of {options.seconds} s")
    tell_probes(quiet, "without them")
    if late := tell_probes(here, "with them"):
        findings.append(f"{late} probes were late or got no response")
    for key, unit in (("others", "cores used by all threads except the clients' event loops"), ("resident", "MiB resident")):
        print(f"{unit}: {statistics.median(each[key] for each in quiet):.2f} without them, "
              f"{statistics.median(each[key] for each in here):.2f} with them")
    for key in ("p50", "p99"):
        compare(options, key, "without them", quiet, here)
        if compare(options, key, "with them open to another gate", elsewhere, here):
            findings.append(f"clients are affected: {key} is higher than with the same connections to another gate")
    for finding in findings:
        print(f"FAILED: {finding}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
