"""The gate under callgrind, which counts the instructions that it executes in user space."""

import re
import signal
import subprocess
import time
from pathlib import Path

from sidebyside.server import free_port

START_SECONDS = 60
STOP_SECONDS = 30


class Gate:
    def __init__(self, binary, folder, rules, backend_port, *flags):
        self.port = free_port()
        self._folder = folder
        self._dumps = 0
        # Valgrind fails on debug information of this size.
        stripped = folder / "versiongate"
        subprocess.run(["strip", "--strip-debug", "-o", stripped, binary], check=True)
        command = [
            "valgrind", "--tool=callgrind", "--callgrind-out-file=" + str(folder / "count"), "-q",
            str(stripped), "serve", "--listen", f"127.0.0.1:{self.port}", "--threads", "1",
            "--upstream", f"http://127.0.0.1:{backend_port}", "--rules", str(rules),
            "--log-level", "warning", *flags,
        ]
        with (folder / "gate.log").open("wb") as log:
            self._process = subprocess.Popen(
                command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def wait_until_ready(self, ask):
        """Until a call of ask() succeeds."""
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                return ask()
            except OSError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    log = (self._folder / "gate.log").read_text(errors="replace")
                    raise SystemExit(f"the gate does not start: {log[-500:]}") from None
                time.sleep(0.5)

    def count(self):
        """The instructions since the last count."""
        self._dumps += 1
        subprocess.run(
            ["callgrind_control", "--dump", str(self._process.pid)],
            check=True, capture_output=True, timeout=STOP_SECONDS,
        )
        totals = 0
        # A dump has a file for all threads together.
        path = Path(f"{self._folder}/count.{self._dumps}")
        deadline = time.monotonic() + STOP_SECONDS
        while not path.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        for line in path.read_text(errors="replace").splitlines():
            match = re.match(r"(?:totals|summary): (\d+)", line)
            if match:
                totals = int(match[1])
        path.unlink()
        return totals

    def stop(self):
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
