"""The gate and the backend as processes, and the gate's resources."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

from sidebyside import certificate

from .log import LogReader

BENCHMARKS = Path(__file__).parent.parent
START_SECONDS = 10


class Gate:
    def __init__(self, binary, doors, backend_port, rules, memory_bytes, wall_clock):
        certificate.write_pair(rules.parent)
        command = [
            # The arguments are passed this way because a process that loads the clock library first
            # does not find its own arguments.
            "/usr/bin/env",
            binary, "serve", "--listen", f"127.0.0.1:{doors.plain}", "--rules", str(rules),
            "--tls-listen", f"127.0.0.1:{doors.secure}",
            "--tls-certificate", str(rules.parent / certificate.CERTIFICATE),
            "--tls-key", str(rules.parent / certificate.KEY),
            "--upstream", f"http://127.0.0.1:{backend_port}", "--threads", "2",
            "--head-timeout", "3", "--body-timeout", "3", "--response-timeout", "5",
            "--connect-timeout", "2", "--idle-timeout", "20", "--log-level", "warning",
            "--access-log", "--log-format", "json",
        ]
        self._process = subprocess.Popen(
            command, env=wall_clock.environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            # Beyond this limit, allocations fail and the process ends.
            preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_DATA, (memory_bytes, memory_bytes)
            ),
        )
        self._folder = Path(f"/proc/{self._process.pid}")
        self.log = LogReader(self._process.stdout)
        self.log.start()

    @property
    def exit_status(self):
        """The exit status, or None while it runs."""
        return self._process.poll()

    def resident_bytes(self):
        return int(self._status("VmRSS").split()[0]) * 1024

    def threads(self):
        return int(self._status("Threads"))

    def descriptors(self):
        return len(os.listdir(self._folder / "fd"))

    def cpu_seconds(self):
        fields = (self._folder / "stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")

    def _status(self, name):
        for line in (self._folder / "status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return line.partition(":")[2].strip()
        raise ProcessLookupError(name)

    def hang_up(self):
        self._process.send_signal(signal.SIGHUP)

    def stop(self):
        """Stops it gracefully, and returns the exit status."""
        self._process.terminate()
        try:
            return self._process.wait(40)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


class Backend:
    def __init__(self, port):
        self._port = port
        self._process = None

    def start(self):
        self._process = subprocess.Popen(
            [sys.executable, "-B", "-m", "soak.backend", str(self._port)], cwd=BENCHMARKS,
            stderr=subprocess.DEVNULL,
        )

    def stop(self, number=signal.SIGKILL):
        if self._process:
            self._process.send_signal(number)
            self._process.wait()


def wait_for(condition, seconds=START_SECONDS):
    """Returns whether the condition became true in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.1)
    return False
