"""The counts of a test run, in the formats of the test runners."""

import re
from dataclasses import dataclass

NO_REASON = "no reason given"

# The closing line of our own runners, and of `make test` as a whole.
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.MULTILINE)
SKIPPED = re.compile(r"^SKIPPED: (.+)$", re.MULTILINE)

# The summary from `node --test --test-reporter=tap`, and its skipped tests.
TAP_COUNT = re.compile(r"^# (pass|fail|cancelled|skipped|todo) (\d+)$", re.MULTILINE)
TAP_SKIPPED = re.compile(r"^\s*(?:not )?ok \d+ - (.+?) # (?:SKIP|TODO) ?(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped
        )

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def counts_in(output: str) -> Counts | None:
    """Returns the counts at the end of an output; `None` if there are none, or if no test ran."""
    closing = CLOSING.findall(output)
    if closing:
        counts = Counts(*map(int, closing[-1]))
    else:
        tap = {name: int(count) for name, count in TAP_COUNT.findall(output)}
        if "pass" not in tap:
            return None
        counts = Counts(
            tap["pass"],
            tap.get("fail", 0) + tap.get("cancelled", 0),
            tap.get("skipped", 0) + tap.get("todo", 0),
        )
    return counts if counts != Counts() else None


def skips_in(output: str) -> list[str]:
    """Returns the skipped tests in an output, each with its reason."""
    tap = [f"{test}: {reason or NO_REASON}" for test, reason in TAP_SKIPPED.findall(output)]
    return SKIPPED.findall(output) + tap
