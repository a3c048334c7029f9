"""The gate's log reader, which hangs temporarily."""

import collections
import json
import threading


class LogReader(threading.Thread):
    def __init__(self, pipe):
        super().__init__(daemon=True)
        self._pipe = pipe
        self._reads = threading.Event()
        self._reads.set()
        self._last = collections.deque(maxlen=20)
        self.lines = 0
        self.dropped = 0
        self.broken = []

    def run(self):
        for line in self._pipe:
            self._reads.wait()
            self.lines += 1
            self._note(line)

    def _note(self, line):
        try:
            entry = json.loads(line)
        except ValueError:
            self.broken.append(line[:200])
            return
        if entry.get("message") != "request":
            self._last.append(line)
        self.dropped += int(entry.get("dropped", 0))

    def hang(self):
        self._reads.clear()

    def go_on(self):
        self._reads.set()

    def end(self):
        """Returns the last lines that are not about requests."""
        return b"".join(self._last).decode(errors="replace")
