"""Tests the counts of the Python test runner."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent.parent / "run-python-tests.py"

TESTS = """
import unittest

class Some(unittest.TestCase):
    def test_passes(self):
        for number in range(3):
            with self.subTest(number):
                self.assertLess(number, 3)
    @unittest.skip("no browser")
    def test_is_skipped(self):
        pass
    def test_is_skipped_in_its_middle(self):
        self.skipTest("no server")
    @unittest.expectedFailure
    def test_fails_as_expected(self):
        self.fail()

class Whole(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise unittest.SkipTest("no compiler")
    def test_one(self):
        pass
    def test_two(self):
        pass
"""

FAILING = """
class Failing(unittest.TestCase):
    def test_fails_twice(self):
        for number in range(2):
            with self.subTest(number):
                self.fail()
    def test_breaks(self):
        raise OSError
    @unittest.expectedFailure
    def test_passes_against_expectation(self):
        pass
"""


class RunPythonTests(unittest.TestCase):
    def run_tests(self, text):
        with tempfile.TemporaryDirectory() as folder:
            if text:
                Path(folder, "test_some.py").write_text(text, "utf-8")
            result = subprocess.run(
                [sys.executable, "-B", PROGRAM, folder], text=True, timeout=60,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            return result.returncode, result.stdout.splitlines()

    def test_skips_are_named_and_all_tests_counted(self):
        status, lines = self.run_tests(TESTS)
        self.assertEqual(status, 0)
        self.assertEqual(sorted(lines[:-1]), [
            "SKIPPED: setUpClass (test_some.Whole): no compiler",
            "SKIPPED: test_some.Some.test_is_skipped: no browser",
            "SKIPPED: test_some.Some.test_is_skipped_in_its_middle: no server",
        ])
        self.assertEqual(lines[-1], "2 passed, 0 failed, 3 skipped")

    def test_a_test_counts_once_however_often_it_fails(self):
        status, lines = self.run_tests(TESTS + FAILING)
        self.assertEqual((status, lines[-1]), (1, "2 passed, 3 failed, 3 skipped"))

    def test_a_folder_without_tests_and_one_that_cannot_be_read_fail(self):
        self.assertEqual(self.run_tests(None), (1, ["0 passed, 0 failed, 0 skipped"]))
        self.assertEqual(self.run_tests("import gone_away"), (1, ["0 passed, 1 failed, 0 skipped"]))


if __name__ == "__main__":
    unittest.main()
