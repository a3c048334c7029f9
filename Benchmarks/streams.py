"""Measures how soon clients of event streams get an event after a reload.

Opens many streams to one gate on one core, changes the rules so that the decision changes for half
of the clients, and prints when each of these got its event. At the same time, another client sends
requests continuously, to measure how long they are delayed.
"""

import argparse
import os
import selectors
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True

from sidebyside.server import free_port  # noqa: E402

RULES = """
rules:
  - id: floor
    match: {{ platform: ios }}
    minimum: "{minimum}"
    storeUrl: https://apps.apple.com/app/id1
"""


def start(options, rules, port):
    command = [options.gate, "serve", "--listen", f"127.0.0.1:{port}", "--upstream",
               "http://127.0.0.1:9", "--rules", rules, "--threads", "1", "--drain-timeout", "1"]
    gate = subprocess.Popen(["taskset", "-c", "0"] + command, stderr=subprocess.DEVNULL)
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return gate
        except ConnectionRefusedError:
            time.sleep(0.05)
    sys.exit("the gate does not listen")


def open_streams(count, port):
    """Every second client has version 2, the others version 9; each has a different device ID."""
    streams = []
    for number in range(count):
        stream = socket.create_connection(("127.0.0.1", port))
        version = 2 if number % 2 == 0 else 9
        stream.sendall(
            f"GET /.versiongate/events HTTP/1.1\r\nHost: gate\r\nX-App-Platform: ios\r\n"
            f"X-App-Version: {version}\r\nX-Device-Id: device-{number}\r\n\r\n".encode()
        )
        streams.append(stream)
    for stream in streams:
        received = b""
        while b"data: " not in received:
            received += stream.recv(4096)
        stream.setblocking(False)
    return streams


class Asker(threading.Thread):
    """A client that requests its status repeatedly, and records the seconds until each response."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.client = socket.create_connection(("127.0.0.1", port))
        self.delays = []
        self.goes_on = True

    def run(self):
        request = b"GET /.versiongate/status HTTP/1.1\r\nHost: gate\r\nX-App-Version: 9\r\n\r\n"
        while self.goes_on:
            began = time.monotonic()
            self.client.sendall(request)
            self.client.recv(4096)
            self.delays.append(time.monotonic() - began)
            time.sleep(0.002)


def hear(streams, concerned, gate, rules, minimum):
    """Changes the floor, and returns the seconds until each affected stream got its event."""
    selector = selectors.EpollSelector()
    for stream in streams:
        selector.register(stream, selectors.EVENT_READ)
    with open(rules + ".new", "w") as file:
        file.write(RULES.format(minimum=minimum))
    os.rename(rules + ".new", rules)
    began = time.monotonic()
    gate.send_signal(signal.SIGHUP)
    heard = {}
    others = 0
    while len(heard) < concerned and time.monotonic() - began < 10:
        for key, _ in selector.select(timeout=0.1):
            if b"data: " in key.fileobj.recv(65536):
                heard.setdefault(key.fd, time.monotonic() - began)
    quiet_until = time.monotonic() + 0.5
    while time.monotonic() < quiet_until:
        for key, _ in selector.select(timeout=0.1):
            if b"data: " in key.fileobj.recv(65536) and key.fd not in heard:
                others += 1
    return sorted(heard.values()), others


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gate", default=".build/release/versiongate")
    parser.add_argument("--streams", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    os.sched_setaffinity(0, {1} if os.cpu_count() > 1 else {0})
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        rules = os.path.join(folder, "rules.yaml")
        with open(rules, "w") as file:
            file.write(RULES.format(minimum="1.0.0"))
        gate = start(options, rules, port)
        try:
            began = time.monotonic()
            streams = open_streams(options.streams, port)
            with open(f"/proc/{gate.pid}/status") as status:
                resident = next(line.split()[1] for line in status if line.startswith("VmRSS"))
            print(f"{len(streams)} streams opened in {time.monotonic() - began:.1f} s, "
                  f"{int(resident) / 1024:.0f} MiB resident")
            for number in range(options.rounds):
                asker = Asker(port)
                asker.start()
                minimum = "3.0.0" if number % 2 == 0 else "1.0.0"
                concerned = (len(streams) + 1) // 2
                heard, others = hear(streams, concerned, gate, rules, minimum)
                asker.goes_on = False
                asker.join()
                middle = statistics.median(heard) if heard else float("nan")
                print(f"round {number + 1}: {len(heard)} of {concerned} heard, median "
                      f"{middle:.3f} s, last {heard[-1] if heard else float('nan'):.3f} s; "
                      f"{others} others; slowest request {max(asker.delays) * 1000:.0f} ms")
        finally:
            gate.send_signal(signal.SIGTERM)
            gate.wait(timeout=10)


main()
