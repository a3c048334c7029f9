#!/usr/bin/env python3
"""Runs the built tests, and says at the very end what failed: the end is what a CI log keeps.

A suite that failed is run once more, alone, to tell a broken one from one that does not hold on a
busy machine: FAILED from UNSTABLE. Either fails the run. Only a suite that `unstable-suites.txt`
names, with its reason, may pass the second time.

A crash, a signal and the word of a sanitizer are never repeated away, whoever it was.
"""

import os
import re
import subprocess
import sys
import tempfile
import threading
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

UNSTABLE_SUITES = Path(__file__).resolve().parent / "unstable-suites.txt"

# Each test of the executable is a few processes, mostly waiting. All at once they starve each other.
TESTS_AT_ONCE = "12"
MOST_SUITES_TO_REPEAT = 3

# The sanitizers' reports, `swift test` on its own process, and the tests on the gate's.
CRASH = re.compile(
    r"(?:ERROR|WARNING|SUMMARY): \w+Sanitizer|: runtime error: "
    r"|[Uu]nexpected signal code \d+|ended by signal \d+"
)


class ListError(Exception):
    """The list of unstable suites cannot be used."""


@dataclass
class Outcome:
    """What became of one run of `swift test`."""

    status: int
    # Whether there is a report; the run broke off otherwise.
    is_whole: bool = False
    # The failures, each as (suite, what it said).
    failed: list[tuple[str, str]] = field(default_factory=list)
    suites: set[str] = field(default_factory=set)
    # The first line that tells of a crash.
    crash: str | None = None


def known_unstable(text: str) -> dict[str, str]:
    """The reasons by suite: a line is a suite, a blank and the reason; `#` begins a comment."""
    reasons: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        suite, _, reason = line.strip().partition(" ")
        if not reason.strip():
            raise ListError(f"line {number}: {suite} has no reason")
        if suite in reasons:
            raise ListError(f"line {number}: {suite} stands there twice")
        reasons[suite] = reason.strip()
    return reasons


def crash_of(line: str) -> str | None:
    return line.strip() if CRASH.search(line) else None


def run(swift: str, arguments: list[str]) -> Outcome:
    environment = {"SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": TESTS_AT_ONCE} | os.environ
    with tempfile.TemporaryDirectory() as folder:
        command = [swift, "test", "--skip-build", "--xunit-output", f"{folder}/all.xml", *arguments]
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        crashes: list[str] = []
        reader = threading.Thread(target=pass_on, args=(process.stdout, crashes), daemon=True)
        reader.start()
        outcome = Outcome(process.wait())
        # A process that a test has left behind may hold the pipe open.
        reader.join(timeout=5)
        outcome.crash = crashes[0] if crashes else None
        try:
            report = ElementTree.parse(f"{folder}/all-swift-testing.xml")
        except (OSError, ElementTree.ParseError):
            return outcome
    # A signal that ended `swift test` itself.
    outcome.is_whole = outcome.status >= 0
    for case in report.iter("testcase"):
        suite = case.get("classname", "")
        outcome.suites.add(suite)
        for failure in case.iter("failure"):
            message = failure.get("message") or ""
            outcome.failed.append((suite, f"{case.get('name')}: {message}"))
            outcome.crash = outcome.crash or crash_of(message)
    return outcome


def pass_on(output, crashes: list[str]) -> None:
    """Shows the output as it comes, and keeps the lines that tell of a crash."""
    for line in output:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
        if crash := crash_of(line.decode(errors="replace")):
            crashes.append(crash)


def words_at_the_end(outcome: Outcome, names: dict[str, str]) -> None:
    print()
    for suite, message in outcome.failed:
        print(f"{names.get(suite, 'FAILED')}: {suite}: {message}")
    sys.stdout.flush()


def judge(first: Outcome, swift: str, reasons: dict[str, str]) -> int:
    """Says what failed, and returns the exit status."""
    if first.crash:
        words_at_the_end(first, {})
        print(f"CRASHED, which is not repeated: {first.crash}")
        return 1
    if first.status == 0 and not first.failed:
        return 0
    if not first.is_whole or not first.failed:
        words_at_the_end(first, {})
        print(f"the run of the tests broke off with status {first.status}; the place is above")
        return 1
    suites = sorted({suite for suite, _ in first.failed})
    if len(suites) > MOST_SUITES_TO_REPEAT:
        words_at_the_end(first, {})
        return 1
    print(f"\nrunning once more, alone: {', '.join(suites)}\n", flush=True)
    pattern = "|".join(f"^{re.escape(suite)}/" for suite in suites)
    again = run(swift, ["--no-parallel", "--filter", pattern])
    failed_again = {suite for suite, _ in again.failed}
    names = {}
    for suite in suites:
        # A filter that finds nothing passes, too.
        if not again.is_whole or suite in failed_again or suite not in again.suites:
            names[suite] = "FAILED"
        else:
            names[suite] = "UNSTABLE, failed once"
    if again.status != 0 and not failed_again:
        names = {}
    first.failed += again.failed
    words_at_the_end(first, names)
    if again.crash:
        print(f"CRASHED: {again.crash}")
        return 1
    unstable = {suite for suite in suites if names.get(suite, "FAILED") != "FAILED"}
    for suite in sorted(unstable & reasons.keys()):
        print(f"{suite} is known to be unstable: {reasons[suite]}")
    for suite in sorted(unstable - reasons.keys()):
        print(f"{suite} passes alone, and does not hold beside others: find out why")
    return 0 if unstable == set(suites) and unstable <= reasons.keys() else 1


def main() -> int:
    try:
        reasons = known_unstable(UNSTABLE_SUITES.read_text())
    except (OSError, ListError) as error:
        print(f"{UNSTABLE_SUITES.name}: {error}", file=sys.stderr)
        return 1
    swift = os.environ.get("SWIFT", "swift")
    arguments = sys.argv[1:]
    first = run(swift, arguments)
    status = judge(first, swift, reasons)
    # A part of the tests tells nothing of the suites that are not in it.
    missing = sorted(reasons.keys() - first.suites) if first.is_whole and not arguments else []
    for suite in missing:
        print(f"{UNSTABLE_SUITES.name}: there is no suite {suite}")
    return 1 if missing else status


if __name__ == "__main__":
    sys.exit(main())
