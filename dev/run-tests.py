#!/usr/bin/env python3
"""Runs the built tests, and says at the very end what failed: the end is what a CI log keeps.

The tests start real processes and wait by the real clock, so that a machine that is busy with
something else can fail one. A suite that failed is therefore run once more, alone: if it passes then,
it is named as UNSTABLE and the run passes; a suite that fails twice, or more than three that fail at
all, fail the run. An unstable test is a bug like any other.
"""

import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

# Each test of the executable is a few processes, mostly waiting. All at once they starve each other.
TESTS_AT_ONCE = "12"
MOST_SUITES_TO_REPEAT = 3


def run(swift: str, arguments: list[str]) -> tuple[int, list[tuple[str, str]] | None, set[str]]:
    """The exit status, what failed as (suite, what it said), and which suites ran.

    What failed is None if the run broke off.
    """
    environment = {"SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": TESTS_AT_ONCE} | os.environ
    with tempfile.TemporaryDirectory() as folder:
        command = [swift, "test", "--skip-build", "--xunit-output", f"{folder}/all.xml", *arguments]
        status = subprocess.run(command, env=environment).returncode
        try:
            report = ElementTree.parse(f"{folder}/all-swift-testing.xml")
        except (OSError, ElementTree.ParseError):
            return status, None, set()
    cases = list(report.iter("testcase"))
    failed = [
        (case.get("classname", ""), f"{case.get('name')}: {failure.get('message')}")
        for case in cases
        for failure in case.iter("failure")
    ]
    return status, failed, {case.get("classname", "") for case in cases}


def main() -> int:
    swift = os.environ.get("SWIFT", "swift")
    status, failed, _ = run(swift, sys.argv[1:])
    if status == 0:
        return 0
    if not failed:
        print(f"the run of the tests broke off with status {status}; the place is above", flush=True)
        return 1
    suites = sorted({suite for suite, _ in failed})
    outcome = "FAILED"
    if len(suites) <= MOST_SUITES_TO_REPEAT:
        print(f"\nrunning once more, alone: {', '.join(suites)}\n", flush=True)
        pattern = "|".join(f"^{re.escape(suite)}/" for suite in suites)
        status, again, repeated = run(swift, ["--no-parallel", "--filter", pattern])
        failed += again or []
        # A filter that finds nothing passes, too.
        if not repeated.issuperset(suites):
            status = status or 1
        outcome = "UNSTABLE, failed once" if status == 0 else "FAILED"
    print()
    for suite, words in failed:
        print(f"{outcome}: {suite}: {words}")
    return status


if __name__ == "__main__":
    sys.exit(main())
