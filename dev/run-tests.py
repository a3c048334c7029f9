#!/usr/bin/env python3
"""Runs the built tests, and lists the failures at the end of the output, which is what a CI log keeps.

Makefile targets that are also tests run in parallel (`--beside`), three at a time. The last lines contain the
counts of each, and the very last line contains the total.

A skipped test fails the run on Debian, where `make test` installs what its tests need. On
other systems it is only listed.

A failed suite is run once more, alone, to distinguish a broken suite from one that fails on a
busy machine: FAILED and UNSTABLE. Either fails the run. Only a suite that is listed in
`unstable-suites.txt`, with its reason, may pass the second time.

Crashes, signals and sanitizer reports are never retried, in whichever process they occur.
"""

import argparse
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from suite_counts import NO_REASON, Counts, counts_in, skips_in  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
UNSTABLE_SUITES = ROOT / "dev/unstable-suites.txt"
# The output of each target that runs in parallel with the Swift tests.
BESIDE = ROOT / ".build/beside"

# Each test of the executable consists of a few processes that mostly wait. If all ran at once, they would
# starve each other.
TESTS_AT_ONCE = "12"
TARGETS_AT_ONCE = 3
MOST_SUITES_TO_REPEAT = 3

# The reports from sanitizers, from `swift test` about its own process, and from the tests about the gate's
# process.
CRASH = re.compile(
    r"(?:ERROR|WARNING|SUMMARY): \w+Sanitizer|: runtime error: "
    r"|[Uu]nexpected signal code \d+|ended by signal \d+"
)


class ListError(Exception):
    """The list of unstable suites is invalid."""


@dataclass
class Outcome:
    """The result of one run of `swift test`."""

    status: int
    # Whether there is a report; if not, the run was aborted.
    is_whole: bool = False
    # The failures, each as (suite, message).
    failed: list[tuple[str, str]] = field(default_factory=list)
    suites: set[str] = field(default_factory=set)
    # The skipped tests, each with its reason.
    skipped: list[str] = field(default_factory=list)
    counts: Counts = Counts()
    # The first line that reports a crash.
    crash: str | None = None


def known_unstable(text: str) -> dict[str, str]:
    """Returns the reasons by suite. A line is a suite, a space and the reason; `#` begins a comment."""
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
        try:
            outcome = Outcome(process.wait())
        finally:
            process.terminate()
        # A process left behind by a test may keep the pipe open.
        reader.join(timeout=5)
        outcome.crash = crashes[0] if crashes else None
        try:
            report = ElementTree.parse(f"{folder}/all-swift-testing.xml")
        except (OSError, ElementTree.ParseError):
            return outcome
    # A signal that ended `swift test` itself.
    outcome.is_whole = outcome.status >= 0
    for case in report.iter("testcase"):
        suite, name = case.get("classname", ""), case.get("name")
        outcome.suites.add(suite)
        failures = case.findall("failure")
        for failure in failures:
            message = failure.get("message") or ""
            outcome.failed.append((suite, f"{name}: {message}"))
            outcome.crash = outcome.crash or crash_of(message)
        skip = case.find("skipped")
        if skip is not None:
            outcome.skipped.append(f"{suite}: {name}: {skip.text or NO_REASON}")
        outcome.counts += Counts(
            passed=int(not failures and skip is None),
            failed=int(bool(failures)),
            skipped=int(not failures and skip is not None),
        )
    return outcome


def pass_on(output, crashes: list[str]) -> None:
    """Prints the output as it arrives, and stores the lines that report a crash."""
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
    """Prints the failures, and returns the exit status."""
    if first.crash:
        words_at_the_end(first, {})
        print(f"CRASHED, and a crash is not retried: {first.crash}")
        return 1
    if first.status == 0 and not first.failed:
        return 0
    if not first.is_whole or not first.failed:
        words_at_the_end(first, {})
        print(f"the test run was aborted with status {first.status}; see above where")
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
        # A run whose filter matches nothing also passes.
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
        print(f"{suite} passes alone, but not beside others: find out why")
    return 0 if unstable == set(suites) and unstable <= reasons.keys() else 1


class Beside:
    """A Makefile target that runs in parallel with the Swift tests, with its output in a file."""

    def __init__(self, target: str, pool: ThreadPoolExecutor):
        self.target = target
        self.file = BESIDE / f"{target}.txt"
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.process: subprocess.Popen | None = None
        self.status = pool.submit(self.run)

    def run(self) -> int:
        make = shlex.split(os.environ.get("MAKE", "make"))
        with self.file.open("wb") as output:
            self.process = subprocess.Popen(
                [*make, "--no-print-directory", self.target], cwd=ROOT,
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            )
        return self.process.wait()

    def cancel(self) -> None:
        if not self.status.cancel() and self.process:
            self.process.terminate()

    def end(self) -> Outcome:
        """Waits for the end of the target, and prints its output if it failed."""
        outcome = Outcome(self.status.result())
        output = self.file.read_text(errors="replace")
        counts = counts_in(output)
        outcome.counts = counts or Counts()
        outcome.skipped = skips_in(output)
        if outcome.status == 0 and counts is None:
            print(f"\n{self.target} does not report how many tests it ran: see {self.file.relative_to(ROOT)}")
            outcome.status = 1
        elif outcome.status != 0:
            print(f"\n{self.target} failed:\n{output}", flush=True)
        return outcome


def is_debian(os_release: Path) -> bool:
    """Returns whether `make test` installs what its tests need on this system."""
    try:
        return "ID=debian" in os_release.read_text().splitlines()
    except OSError:
        return False


def close(outcomes: dict[str, Outcome], skips_fail: bool) -> int:
    """Lists skipped tests, prints the counts, and returns the exit status."""
    status = int(any(outcome.status for outcome in outcomes.values()))
    print()
    for name, outcome in outcomes.items():
        for skip in outcome.skipped:
            print(f"SKIPPED: {name}: {skip}")
        # Tests that were never reached are not counted in any report.
        if outcome.status != 0 and outcome.counts.failed == 0:
            outcome.counts += Counts(failed=1)
    total = sum((outcome.counts for outcome in outcomes.values()), Counts())
    if total.skipped and skips_fail:
        print("a skipped test fails the run: `make test` installs what tests need, see CONTRIBUTING.md")
        status = 1
    elif total.skipped:
        print(f"NOT TESTED: {total.skipped} tests were skipped; on Debian, this would fail the run")
    for name, outcome in outcomes.items():
        print(f"{name}: {outcome.counts}")
    print(total)
    return status


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="dev/run-tests.py",
        allow_abbrev=False,
        description="Runs the built tests. Further arguments are those of `swift test`.",
    )
    parser.add_argument("--beside", nargs="+", default=[], metavar="TARGET",
                        help="Makefile targets that run beside the Swift tests")
    parser.add_argument("--os-release", type=Path, default=Path("/etc/os-release"),
                        help="the file that identifies the operating system")
    options, arguments = parser.parse_known_args()
    try:
        reasons = known_unstable(UNSTABLE_SUITES.read_text())
    except (OSError, ListError) as error:
        print(f"{UNSTABLE_SUITES.name}: {error}", file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    swift = os.environ.get("SWIFT", "swift")
    pool = ThreadPoolExecutor(TARGETS_AT_ONCE)
    parts = [Beside(target, pool) for target in options.beside]
    try:
        first = run(swift, arguments)
        # A retried suite runs alone only once these have ended.
        outcomes = {part.target: part.end() for part in parts}
    finally:
        for part in reversed(parts):
            part.cancel()
    first.status = judge(first, swift, reasons)
    if first.status == 0:
        # The failed suites are known to be unstable, and passed alone.
        first.counts = Counts(first.counts.passed + first.counts.failed, 0, first.counts.skipped)
    if first.is_whole and first.counts == Counts():
        print("no test ran")
        first.status = 1
    # A partial run has no information about the other suites.
    if first.is_whole and not arguments:
        for suite in sorted(reasons.keys() - first.suites):
            print(f"{UNSTABLE_SUITES.name}: there is no suite {suite}")
            first.status = 1
    return close({"swift": first} | outcomes, is_debian(options.os_release))


if __name__ == "__main__":
    sys.exit(main())
