"""A gate with a state directory, and its resources."""

import json
import os
import re
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

from sidebyside.server import free_port, thread_nanoseconds

START_SECONDS = 10
# The first group of event loops is the data plane's, and the second one the admin listener's.
DATA_PLANE = re.compile(r"NIO-ELT-1-#\d+")


class Gate:
    def __init__(self, binary, folder, rules, backend_port, threads):
        self.port, self.admin_port = free_port(), free_port()
        self._log = folder / "gate.log"
        (folder / "rules.yaml").write_text(rules)
        command = [
            str(binary), "serve", "--listen", f"127.0.0.1:{self.port}",
            "--admin-listen", str(self.admin_port), "--threads", str(threads),
            "--upstream", f"http://127.0.0.1:{backend_port}",
            "--rules", str(folder / "rules.yaml"), "--state-dir", str(folder / "state"),
            "--log-format", "json",
        ]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        self._folder = Path(f"/proc/{self._process.pid}")

    def is_listening(self):
        return all(map(accepts, (self.port, self.admin_port)))

    def is_running(self):
        return self._process.poll() is None

    def feed(self):
        """The feed's state; None if the gate does not return it."""
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{self.admin_port}/feeds", timeout=5
            ) as answer:
                return json.load(answer)["feeds"][0]
        except (OSError, IndexError):
            return None

    def wait_until(self, condition, seconds=START_SECONDS):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.is_running():
            if condition():
                return True
            time.sleep(0.05)
        return False

    def taken(self):
        """The number of applied feed values."""
        with self._log.open("rb") as log:
            return sum(b'"feed applied"' in line for line in log)

    def complaints(self):
        with self._log.open() as log:
            return [line.strip() for line in log if '"level":"info"' not in line]

    def resident_bytes(self):
        status = (self._folder / "status").read_text()
        return int(re.search(r"^VmRSS:\s+(\d+) kB$", status, re.MULTILINE)[1]) * 1024

    def threads(self):
        return len(list((self._folder / "task").iterdir()))

    def descriptors(self):
        return len(os.listdir(self._folder / "fd"))

    def cpu_seconds(self):
        """The CPU time of the data plane's threads, and that of all others."""
        data_plane = others = 0
        for task in (self._folder / "task").iterdir():
            try:
                used = thread_nanoseconds(task) / 1e9
                name = (task / "comm").read_text().strip()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if DATA_PLANE.fullmatch(name):
                data_plane += used
            else:
                others += used
        return data_plane, others

    def stop(self):
        """Stops it gracefully, and returns the exit status."""
        self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.wait(40)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


def accepts(port):
    """Returns whether a server accepts connections to a port."""
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True
