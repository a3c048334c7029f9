"""A gate that runs under callgrind."""

import signal
import subprocess
import time

from sidebyside import callgrind
from sidebyside.server import free_port

STOP_SECONDS = 30


class Gate:
    def __init__(self, binary, folder, rules, backend_port, *flags):
        self.port = free_port()
        self._folder = folder
        command = [
            *callgrind.command(folder), str(callgrind.without_debug_information(binary, folder)),
            "serve", "--listen", f"127.0.0.1:{self.port}", "--threads", "1",
            "--upstream", f"http://127.0.0.1:{backend_port}", "--rules", str(rules),
            # The census is fetched and parsed on another thread, which must not be part of the
            # counts.
            "--log-level", "warning", "--census-interval", "3600",
            # Beyond the limit of the census, a request of a new client would be cheaper.
            "--census-max-cells", "100000", *flags,
        ]
        with (folder / "gate.log").open("wb") as log:
            self._process = subprocess.Popen(
                command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        self._counter = callgrind.Counter(self._process.pid, folder)

    def wait_until_ready(self, ask):
        """Waits until a call to ask() succeeds."""
        deadline = time.monotonic() + callgrind.START_SECONDS
        while True:
            try:
                return ask()
            except OSError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    log = (self._folder / "gate.log").read_text(errors="replace")
                    raise SystemExit(f"the gate does not start: {log[-500:]}") from None
                time.sleep(0.5)

    def count(self):
        """Returns the number of instructions since the last count."""
        return self._counter.count()

    def stop(self):
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
