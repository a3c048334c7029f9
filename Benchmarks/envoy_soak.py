#!/usr/bin/env python3
"""Runs Envoy with the module under traffic while the rules change, and fails if memory grows or a response is wrong.

Each response must be by one revision of the rules, and each new revision must be in force within seconds. One in ten changes is a
broken file, which must change nothing, and one in ten returns to the revision before.

Event streams and WebSockets, some of them idle, stay open meanwhile: each must end soon after its version is denied, and no other
one may.
"""

import argparse
import dataclasses
import http.client
import itertools
import json
import os
import random
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True

from decide.gateways import ENVOY  # noqa: E402
from envoy_module import LIBRARY, MODULE, MODULE_FILTER, Way  # noqa: E402
from sidebyside.options import between  # noqa: E402
from sidebyside.packages import find_peer  # noqa: E402
from sidebyside.server import Server, ServerFailed, free_port, unwind_when_stopped  # noqa: E402
from soak import streams, watch  # noqa: E402

BACKEND = Path(__file__).parent.resolve() / "soak/backend.py"
CLIENTS = 4
SAMPLE_SECONDS = 5
# A thread of the module looks every 0.2 s, and loads what two looks have seen.
# A busy machine needs more.
IN_FORCE_SECONDS = 20
SETTLE_SECONDS = 5
UPLOAD = b"x" * 10_000
STREAMS = 8
ROUTE = (
    "routes: [{ match: { prefix: / }, "
    "route: { cluster: backend, timeout: 60s, upgrade_configs: [{ upgrade_type: websocket }] } }]"
)


def rules_text(number, count):
    """Returns a revision: its number is in two places, so that a mixture of two revisions is seen."""
    others = "".join(
        f'  - id: app-{each}\n    match: {{ app: com.example.app{each}, platform: ios }}\n    minimum: "1.{each}.0"\n'
        "    storeUrl: https://apps.apple.com/app/id1234567890\n"
        for each in range(count - 1)
    )
    return (
        f'rules:\n{others}  - id: load\n    match: {{ platform: load }}\n    minimum: "{number}.0.0"\n'
        f"    storeUrl: https://example.com/{number}\n"
    )


class Rules:
    """The rules file, and the revisions that may be in force."""

    def __init__(self, path, count):
        self.path, self._count = path, count
        self.number = 2
        self.history = streams.History(IN_FORCE_SECONDS)
        self._replace_revision()

    def replace(self, text):
        new = self.path.with_suffix(".new")
        new.write_text(text)
        new.rename(self.path)

    def _replace_revision(self):
        # A stream may end as soon as the file is there.
        self.history.add(self.number)
        self.replace(rules_text(self.number, self._count))

    def change(self):
        """Replaces the file; returns the number of the revision that must then be in force."""
        kind = random.random()
        if kind < 0.1:
            self.replace("rules: [")
            return self.number
        self.number += -1 if kind < 0.2 and self.number > 2 else 1
        self._replace_revision()
        return self.number


@dataclasses.dataclass
class Ledger:
    requests: int = 0
    wrong: list = dataclasses.field(default_factory=list)
    seconds: list = dataclasses.field(default_factory=list)
    lock: threading.Lock = dataclasses.field(default_factory=threading.Lock)

    def note(self, seconds, fault):
        with self.lock:
            self.requests += 1
            self.seconds.append(seconds)
            if fault:
                self.wrong.append(fault)


def fault(kind, response, body):
    """Returns what is wrong with a response; None if it is right."""
    if kind == "current":
        return None if response.status == 200 else f"a current build got {response.status}"
    if response.status != 426:
        return f"an old build got {response.status}"
    document = json.loads(body)
    minimum, link = document["minimumVersion"], document["storeUrl"].rsplit("/", 1)[1]
    return None if minimum == f"{link}.0.0" or kind == "other" else f"two revisions in one response: {minimum}, {link}"


def request(connection, kind, count):
    """Sends a request, and returns the response and its content."""
    version = f"0.{random.randrange(1000)}.{random.randrange(1000)}"
    fields = {"X-App-Platform": "load", "X-App-Version": version, "X-Device-Id": f"{random.getrandbits(48):x}"}
    if kind == "current":
        fields["X-App-Version"] = "1000000.0"
    if kind == "other":
        fields |= {"X-App-Platform": "ios", "X-App-Id": f"com.example.app{random.randrange(max(1, count - 1))}"}
    method, body = ("POST", UPLOAD) if kind == "upload" else ("GET", None)
    connection.request(method, "/v2/orders", body, fields)
    response = connection.getresponse()
    return response, response.read()


def send(port, options, ledger, stop):
    """Sends requests at a rate until the event is set."""
    kinds = ("old", "current", "upload", "other")
    pause = CLIENTS / options.rate
    while not stop.is_set():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        for _ in range(100):
            if stop.is_set():
                break
            kind = random.choices(kinds, (45, 45, 5, 5))[0]
            began = time.monotonic()
            try:
                response, body = request(connection, kind, options.rules)
                found = fault(kind, response, body)
            except (OSError, http.client.HTTPException, ValueError, KeyError, IndexError) as error:
                found = repr(error)
            ledger.note(time.monotonic() - began, found)
            time.sleep(random.expovariate(1 / pause))
        connection.close()


def await_revision(port, number):
    """Returns whether a revision is in force soon."""
    deadline = time.monotonic() + IN_FORCE_SECONDS
    while time.monotonic() < deadline:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            connection.request("GET", "/", headers={"X-App-Platform": "load", "X-App-Version": "0.1"})
            found = json.loads(connection.getresponse().read())["minimumVersion"]
        except (OSError, http.client.HTTPException, ValueError, KeyError):
            found = None
        connection.close()
        if found == f"{number}.0.0":
            return True
        time.sleep(0.05)
    return False


def sample(server):
    folder = Path(f"/proc/{server.pid}")
    count = lambda name: len(list((folder / name).iterdir()))  # noqa: E731
    return watch.Sample(time.monotonic(), server.resident_bytes("Pss_Anon"), count("fd"), count("task"))


def run(options, folder):
    """Returns what went wrong."""
    rules = Rules(folder / "rules.yaml", options.rules)
    cores = sorted(os.sched_getaffinity(0))
    port = free_port()
    command = [sys.executable, "-B", str(BACKEND), str(port)]
    backend = Server("backend", command, port, cores, str(folder))
    ledger, stop, changes, samples = Ledger(), threading.Event(), itertools.count(), []
    try:
        backend.wait_until_listening()
        way = Way(MODULE, MODULE_FILTER.replace("RULES", str(rules.path)), ROUTE, workers=options.workers)
        server = way.start(folder / "envoy", cores, port, None)
        clients = [threading.Thread(target=send, args=(server.port, options, ledger, stop)) for _ in range(CLIENTS)]
        lasting = streams.StreamClients(STREAMS, server.port, rules.history)
        try:
            base = sample(server)
            for client in clients:
                client.start()
            lasting.start()
            end = time.monotonic() + options.minutes * 60
            while time.monotonic() < end and server.is_running():
                time.sleep(random.uniform(0, 2 * options.pause))
                number = rules.change()
                next(changes)
                if not await_revision(server.port, number):
                    ledger.note(0, f"revision {number} is not in force after {IN_FORCE_SECONDS} s")
                if not samples or time.monotonic() - samples[-1].seconds >= SAMPLE_SECONDS:
                    samples.append(sample(server))
            stop.set()
            for client in clients:
                client.join()
            lasting.stop()
            time.sleep(SETTLE_SECONDS)
            if not server.is_running():
                return ["Envoy has ended"]
            last = sample(server)
        finally:
            stop.set()
            server.stop()
            lasting.stop()
    finally:
        backend.stop()
    return report(options, ledger, next(changes), base, last, samples, lasting.ends) + lasting.faults()


def report(options, ledger, changes, base, last, samples, ends):
    """Prints the figures, and returns what is wrong."""
    steady = watch.steady_part(samples)
    grown = watch.growth(steady)
    times = sorted(ledger.seconds)
    print("streams: " + ", ".join(f"{count} {end}" for end, count in ends.items()))
    print(f"{ledger.requests} requests, {changes} changes of {options.rules} rules, {options.workers} workers")
    print(f"response times: median {times[len(times) // 2] * 1e3:.1f} ms, p99 {times[int(len(times) * 0.99)] * 1e3:.1f} ms")
    for name, each in (("start", base), ("steady", steady[0]), ("end of load", steady[-1]), ("end", last)):
        print(f"{name:12} {each.resident / 2**20:7.1f} MiB, {each.descriptors} descriptors, {each.threads} threads")
    print(f"growth in the steady part: {grown / 2**20:.2f} MiB")
    found = ledger.wrong[:5] + ([f"{len(ledger.wrong)} wrong responses"] if ledger.wrong else [])
    if grown > watch.ALLOWED_BYTES:
        found.append(f"memory grows: {grown / 2**20:.1f} MiB")
    # Envoy keeps idle connections to the backend. The thread of the module is there from the start. Under load, the open
    # streams have two descriptors each.
    most = max(each.descriptors for each in samples[: len(samples) - len(steady) + 1])
    if last.descriptors > most or last.threads > base.threads:
        found.append("descriptors or threads are left")
    return found


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/envoy_soak.py", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60, help="at least 2: a stream lasts a minute")
    parser.add_argument("--rules", type=between(2, 20_000), default=300, help="the number of rules")
    parser.add_argument("--workers", type=between(1, 64), default=4, help="the number of Envoy's worker threads")
    parser.add_argument("--rate", type=between(1, 100_000), default=400, help="the requests per second")
    parser.add_argument("--pause", type=float, default=3, help="the mean seconds between two changes of the rules")
    options = parser.parse_args()
    unwind_when_stopped()
    if not LIBRARY.exists() or not find_peer(ENVOY):
        return "cannot run: make envoy-module, and Envoy, are needed"
    try:
        with tempfile.TemporaryDirectory(prefix="versiongate-envoy-soak-") as folder:
            found = run(options, Path(folder))
    except ServerFailed as failure:
        return f"cannot run: {failure}"
    for each in found:
        print(f"wrong: {each}")
    print("FAILED" if found else "ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
