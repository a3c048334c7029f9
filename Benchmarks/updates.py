#!/usr/bin/env python3
"""Changes the rules in a feed ten thousand times during traffic, and fails if this affects the requests."""

import argparse
import http.client
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True

from sidebyside.candidates import BACKEND  # noqa: E402
from sidebyside.h2load import count_of, faults_in, run_h2load  # noqa: E402
from sidebyside.options import BUILT_GATE  # noqa: E402
from sidebyside.server import unwind_when_stopped  # noqa: E402
from soak import watch  # noqa: E402
from updates.etcd import Etcd  # noqa: E402
from updates.gate import Gate  # noqa: E402
from updates.noise import differences, most_by_chance, noise  # noqa: E402
from updates.source import Database, floor  # noqa: E402

CORES = (0, 1)
# The rules in addition to the feed's.
RULES = """\
feeds:
  - id: floor
    {entry}
rules:
  - id: android
    match: {{ platform: android }}
    minimum: "2.0.0"
    storeUrl: https://play.google.com/store/apps/details?id=com.example.shop
tests:
  - name: the newest app goes on
    request: {{ platform: ios, version: "9.0.0" }}
    expect: {{ decision: allow }}
"""
# An h2load connection gets at most 100 requests a second; more would be sent in bursts.
REQUESTS_PER_CONNECTION = 100
# The interval between consecutive updates in seconds; the first and the last update are additional.
PACE = 0.2
# The permitted difference between equal phases; beyond it, there is no result.
MOST_NOISE = 0.15
# The minimum number of phases to estimate the difference between equal ones.
FEWEST_PAIRS = 3
HEADERS = {
    "Host": "api.example.com", "X-App-Id": "com.example.shop", "X-App-Platform": "ios",
    "X-App-Version": "9.0.0", "Accept-Language": "ja-JP",
}


class Updates:
    def __init__(self, options, folder, source, backend):
        self._options = options
        self._source = source
        self._gate = Gate(
            options.gate.resolve(), folder, RULES.format(entry=source.entry), backend.port,
            options.threads,
        )
        self._sent = 0
        self._samples = []
        self._faults = []

    def run(self):
        """Prints the figures, and returns the failures."""
        try:
            if not self._gate.wait_until(lambda: (self._gate.feed() or {}).get("state") == "fresh"):
                return ["the gate does not apply the feed", *self._gate.complaints()]
            # Pools and caches fill up before the comparison.
            self._phase(0)
            before = self._gate.descriptors()
            quiet, busy = [self._phase(0)], []
            while self._sent < self._options.updates and self._gate.is_running():
                busy.append(self._phase(self._options.rate))
                quiet.append(self._phase(0))
            settled = self._gate.wait_until(
                lambda: self._is_in_force(floor(self._sent)), seconds=30
            )
            self._gate.wait_until(lambda: self._gate.descriptors() <= before)
            after, taken, feed = self._gate.descriptors(), self._gate.taken(), self._gate.feed()
            return self._findings(quiet, busy, settled, (before, after), taken, feed)
        finally:
            exit_status = self._gate.stop()
            if exit_status != 0:
                print(f"the gate ended with {exit_status}")

    def _phase(self, rate):
        """Sends requests for a while, with this many changes a second."""
        changes = min(rate * self._options.seconds, self._options.updates - self._sent)
        sender = threading.Thread(target=self._change, args=(changes, rate))
        watcher = threading.Thread(target=self._watch)
        connections = max(1, self._options.requests // REQUESTS_PER_CONNECTION)
        arguments = (
            "--h1", "--clients", str(connections), f"--rps={self._options.requests / connections}"
        )
        url = f"http://127.0.0.1:{self._gate.port}/v2/items/48213"
        data_plane, others = self._gate.cpu_seconds()
        sender.start()
        watcher.start()
        output = run_h2load(arguments, self._options.seconds, url, HEADERS, CORES)
        sender.join()
        watcher.join()
        data_plane_then, others_then = self._gate.cpu_seconds()
        self._faults += faults_in(output)
        requests = count_of(output, "succeeded")
        return {
            "requests": requests, "changes": changes,
            "data_plane": data_plane_then - data_plane,
            "others": others_then - others,
        }

    def _change(self, count, rate):
        began = time.monotonic()
        for number in range(count):
            time.sleep(max(0, began + number / rate - time.monotonic()))
            self._sent += 1
            self._source.put(self._sent)

    def _watch(self):
        end = time.monotonic() + self._options.seconds
        while time.monotonic() < end and self._gate.is_running():
            self._samples.append(watch.Sample(
                time.monotonic(), self._gate.resident_bytes(), self._gate.descriptors(),
                self._gate.threads(),
            ))
            time.sleep(0.5)

    def _is_in_force(self, minimum):
        connection = http.client.HTTPConnection("127.0.0.1", self._gate.port, timeout=5)
        try:
            connection.request("GET", "/", headers=HEADERS | {"X-App-Version": "0.9"})
            answer = connection.getresponse()
            return answer.status == 426 and f'"{minimum}"'.encode() in answer.read()
        finally:
            connection.close()

    def _findings(self, quiet, busy, settled, descriptors, taken, feed):
        steady = watch.steady_part(self._samples)
        grown = watch.growth(steady)
        requests = sum(phase["requests"] for phase in quiet + busy)
        print(f"{self._sent} changes sent, {taken - 1} applied, the last one "
              f"{'is' if settled else 'is not'} active; streams opened: {self._source.opened}")
        print(f"{requests} requests, without a 200: {self._faults or 0}")
        print(f"resident: {self._samples[0].resident / 2**20:.1f} MiB at the beginning, "
              f"{min(each.resident for each in steady) / 2**20:.1f} to "
              f"{max(each.resident for each in steady) / 2**20:.1f} MiB later, "
              f"grows by {grown / 2**20:+.2f} MiB")
        print(f"descriptors: {descriptors[0]} before, {descriptors[1]} after")
        findings = self._compare_processor_time(quiet, busy)
        findings += [f"not every request got a 200: {each}" for each in self._faults]
        if not settled:
            findings.append("the last change is not active")
        most = len(busy) * (self._options.seconds / PACE + 2) + 1
        if not 1 < taken <= most:
            findings.append(f"{taken} values were applied; the maximum is {most:.0f}")
        if self._source.opened not in (1, None):
            findings.append("the stream was lost")
        if feed is None or feed["state"] != "fresh":
            findings.append(f"the feed's final state is {feed}")
        if grown > watch.ALLOWED_BYTES:
            findings.append("the resident size grows")
        if descriptors[1] > descriptors[0]:
            findings.append(f"{descriptors[1] - descriptors[0]} descriptors are left")
        findings += self._gate.complaints()
        return findings

    def _compare_processor_time(self, quiet, busy):
        """Prints the CPU time, and returns the failures."""
        findings = []
        for name, who in (("data_plane", "the event loops"), ("others", "all other threads")):
            without, with_changes = (
                [phase[name] / phase["requests"] * 1e6 for phase in phases]
                for phases in (quiet, busy)
            )
            level, apart = statistics.median(without), noise(without)
            more = statistics.median(differences(without, with_changes))
            chance = most_by_chance(without, with_changes)
            print(f"{who}, CPU per request: {level:.2f} µs, and {more:+.2f} µs "
                  f"({more / level:+.1%}) with {self._options.rate} changes a second; "
                  f"{chance:.2f} µs may be chance, since equal phases differ by "
                  f"{apart:.2f} µs ({apart / level:.1%})")
            print("  without: " + ", ".join(f"{each:.1f}" for each in without))
            print("  with:    " + ", ".join(f"{each:.1f}" for each in with_changes))
            if name != "data_plane":
                continue
            if apart > MOST_NOISE * level:
                findings.append("this machine is too busy for a comparison")
            elif more > chance:
                findings.append(f"changes cost the event loops {more:.2f} µs a request")
        return findings


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/updates.py", description=__doc__)
    parser.add_argument("--gate", type=Path, default=BUILT_GATE, help="the gate's binary")
    parser.add_argument("--updates", type=int, default=10_000)
    parser.add_argument("--rate", type=int, default=200, help="changes per second (default 200)")
    parser.add_argument("--requests", type=int, default=2000,
                        help="requests per second (default 2000)")
    parser.add_argument("--seconds", type=int, default=5, help="length of a phase (default 5)")
    parser.add_argument("--threads", type=int, default=1, help="event loops (default 1)")
    parser.add_argument("--source", choices=("database", "etcd"), default="database",
                        help="where the changes are made (default database)")
    options = parser.parse_args()
    unwind_when_stopped()
    if options.updates <= (FEWEST_PAIRS - 1) * options.rate * options.seconds:
        parser.error(f"the changes would take fewer than {FEWEST_PAIRS} phases")
    with tempfile.TemporaryDirectory(prefix="versiongate-updates-") as folder:
        backend = BACKEND.start(Path(folder) / "backend", 0, CORES)
        try:
            backend.wait_until_listening()
            source = Etcd(Path(folder)) if options.source == "etcd" else Database()
            try:
                findings = Updates(options, Path(folder), source, backend).run()
            finally:
                source.stop()
        finally:
            backend.stop()
    for finding in findings:
        print(f"FAILED: {finding}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
