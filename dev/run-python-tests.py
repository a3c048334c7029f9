#!/usr/bin/env python3
"""Runs a folder's Python tests; the last lines of the output list skipped tests and the counts."""

import argparse
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from suite_counts import NO_REASON, Counts  # noqa: E402


class CountingResult(unittest.TextTestResult):
    """Also records which tests were started, because a skipped class starts none of its tests."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.started = set()

    def startTest(self, test):
        self.started.add(test.id())
        super().startTest(test)

    def counts(self) -> Counts:
        # A test with subtests can fail, or be skipped, several times.
        faults = self.failures + self.errors
        failed = {whole(test).id() for test, _ in faults}
        failed |= {test.id() for test in self.unexpectedSuccesses}
        skipped = {whole(test).id() for test, _ in self.skipped} - failed
        return Counts(len(self.started - failed - skipped), len(failed), len(skipped))


def whole(test):
    """Returns the test to which a subtest belongs."""
    return getattr(test, "test_case", test)


def main() -> int:
    parser = argparse.ArgumentParser(prog="dev/run-python-tests.py", description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder with test_*.py")
    folder = parser.parse_args().folder
    suite = unittest.defaultTestLoader.discover(str(folder))
    result = unittest.TextTestRunner(resultclass=CountingResult).run(suite)
    for test, reason in result.skipped:
        print(f"SKIPPED: {test.id()}: {reason or NO_REASON}")
    print(result.counts(), flush=True)
    return 0 if result.wasSuccessful() and result.started else 1


if __name__ == "__main__":
    sys.exit(main())
