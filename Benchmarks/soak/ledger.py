"""What came of the visits, and the explanation of what was not expected."""

import collections
import dataclasses
import time

# How long after the backend listens again the gate may still meet connections that died with it.
AFTERMATH_SECONDS = 1.0
# The answers that may come of a request while the backend is away or has just gone.
WITHOUT_BACKEND = {
    "502", "504", "no answer", "cut short", "reset", "503", "200 426 502 426 200",
}


@dataclasses.dataclass
class Window:
    """A time in which the backend was away."""

    began: float
    ended: float = float("inf")


class Ledger:
    def __init__(self):
        self.ends = collections.Counter()
        self.explained = collections.Counter()
        self.unexplained = []
        self.windows = []

    def backend_leaves(self):
        self.windows.append(Window(time.monotonic()))

    def backend_is_back(self):
        self.windows[-1].ended = time.monotonic()

    def note(self, visitor, end, expected, began):
        """Books how a visit ended that began then and is over now."""
        self.ends[visitor, end] += 1
        if end in expected:
            return
        if self.lacked_backend(began) and self.is_of_missing_backend(end):
            self.explained[visitor, end, "the backend was away"] += 1
        else:
            self.unexplained.append((visitor, end, time.strftime("%H:%M:%S")))

    def lacked_backend(self, began):
        now = time.monotonic()
        return any(
            window.began <= now and began <= window.ended + AFTERMATH_SECONDS
            for window in self.windows
        )

    @staticmethod
    def is_of_missing_backend(end):
        """Also where several answers came, of which some were such."""
        return end in WITHOUT_BACKEND or set(end.split()) <= {"200", "426", "502", "504"}

    def report(self):
        lines = [f"{count:8}  {visitor}: {end}" for (visitor, end), count in self.ends.items()]
        lines.append("explained:")
        lines += [f"{count:8}  {visitor}: {end}, because {why}"
                  for (visitor, end, why), count in self.explained.items()]
        lines.append(f"unexplained: {len(self.unexplained)}")
        lines += [f"          {moment} {visitor}: {end}"
                  for visitor, end, moment in self.unexplained[:50]]
        return "\n".join(lines)
