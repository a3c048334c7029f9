"""A running adapter, which reads a case as a line of JSON and writes an answer as another line."""

import json
import os
import queue
import signal
import subprocess
import threading

from .places import PATH, PROGRAMS

# A virtual machine or a browser needs some seconds to start.
START_PATIENCE = 40


ENDED = {"error": "the program ends", "message": "without an answer and without an exception"}


class AdapterFailure(Exception):
    """The adapter does not start."""


class AdapterProcess:
    def __init__(self, command, environment, log):
        self.process = subprocess.Popen(
            [str(part) for part in command], cwd=PROGRAMS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
            env={**os.environ, "PATH": PATH, "PYTHONDONTWRITEBYTECODE": "1", **environment}, start_new_session=True,
        )
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        hello = self.line(START_PATIENCE)
        if not hello or "version" not in hello:
            self.stop()
            raise AdapterFailure(f"the adapter does not start: {' '.join(map(str, command))}")
        self.version = hello["version"]

    def read(self):
        for line in self.process.stdout:
            # Some runtimes write their own messages between the answers.
            if line.startswith(b"{"):
                self.lines.put(line)
        self.lines.put(None)

    def line(self, patience):
        try:
            line = self.lines.get(timeout=patience)
        except queue.Empty:
            return None
        return json.loads(line) if line else ENDED

    def ask(self, case, patience):
        """Returns the answer, `ENDED`, or None after a timeout."""
        try:
            self.process.stdin.write(json.dumps(case).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            return ENDED
        return self.line(patience)

    def stop(self):
        try:
            self.process.stdin.close()
            self.process.wait(3)
        except (OSError, subprocess.TimeoutExpired):
            pass
        # Browsers and shells have child processes.
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
