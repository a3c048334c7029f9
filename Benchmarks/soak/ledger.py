"""The results of the visits, and the explanations of unexpected results."""

import collections
import dataclasses
import time

# How long the gate may still use broken connections after the backend listens again.
AFTERMATH_SECONDS = 1.0
# The results that a request may have while the backend is down or has just stopped.
WITHOUT_BACKEND = {
    "502", "504", "no answer", "cut short", "reset", "503", "200 426 502 426 200",
}


@dataclasses.dataclass
class Window:
    """A period in which the backend was down."""

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
        """Records the result of a visit from its start until now."""
        self.ends[visitor, end] += 1
        if end in expected:
            return
        if self.lacked_backend(began) and self.is_of_missing_backend(end):
            self.explained[visitor, end, "the backend was down"] += 1
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
        """Whether the missing backend explains the result, or that of one of several responses."""
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
