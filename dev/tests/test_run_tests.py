"""What fails a run of the tests, with a `swift` that does what each test says."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

RUN_TESTS = Path(__file__).resolve().parent.parent / "run-tests.py"

# Plays the next of the runs, and notes how it was called.
FAKE_SWIFT = """#!/bin/sh
folder=$(dirname "$0")
echo "$*" >>"$folder/calls"
run=$folder/run-$(wc -l <"$folder/calls")
cat "$run/says"
if [ -f "$run/report" ]; then cp "$run/report" "${4%.xml}-swift-testing.xml"; fi
. "$run/end"
"""


class RunTests(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "dev").mkdir()
        shutil.copy(RUN_TESTS, self.folder / "dev")
        self.swift = self.folder / "swift"
        self.swift.write_text(FAKE_SWIFT)
        self.swift.chmod(0o755)

    def prepare(self, number, run):
        folder = self.folder / f"run-{number}"
        folder.mkdir(exist_ok=True)
        (folder / "says").write_text(run.get("says", "") + "\n")
        suites = run.get("suites")
        (folder / "report").unlink(missing_ok=True)
        if suites is not None:
            root = ElementTree.Element("testsuites")
            for suite, failure in suites.items():
                case = ElementTree.SubElement(root, "testcase", classname=suite, name="a()")
                if failure:
                    ElementTree.SubElement(case, "failure", message=failure)
            ElementTree.ElementTree(root).write(folder / "report")
        status = run.get("status", 1 if any((suites or {}).values()) else 0)
        end = f"kill -{run['signal']} $$" if "signal" in run else f"exit {status}"
        (folder / "end").write_text(end + "\n")

    def play(self, *runs, unstable="", arguments=()):
        """The exit status, what was printed, and how often `swift` was called."""
        if unstable is not None:
            (self.folder / "dev/unstable-suites.txt").write_text(unstable)
        for number, run in enumerate(runs, 1):
            self.prepare(number, run)
        calls = self.folder / "calls"
        calls.unlink(missing_ok=True)
        result = subprocess.run(
            [sys.executable, self.folder / "dev/run-tests.py", *arguments],
            env=os.environ | {"SWIFT": str(self.swift)}, text=True, timeout=60,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.calls = calls.read_text().splitlines() if calls.exists() else []
        return result.returncode, result.stdout, len(self.calls)

    def test_a_run_that_passes_passes(self):
        status, output, calls = self.play({"suites": {"T.A": None}, "says": "a word"})
        self.assertEqual((status, calls), (0, 1))
        self.assertIn("a word", output)

    def test_a_suite_that_fails_twice_has_failed(self):
        run = {"suites": {"T.A": "1 == 2", "T.B": None}}
        status, output, calls = self.play(run, {"suites": {"T.A": "1 == 3"}})
        self.assertEqual((status, calls), (1, 2))
        self.assertIn("\nFAILED: T.A: a(): 1 == 2\nFAILED: T.A: a(): 1 == 3\n", output)
        self.assertTrue(self.calls[1].endswith(r" --no-parallel --filter ^T\.A/"), self.calls)

    def test_a_suite_that_passes_alone_fails_the_run(self):
        runs = [{"suites": {"T.A": "late", "T.B": None}}, {"suites": {"T.A": None}}]
        for unstable in "", "# T.A comment\n\nT.B is another one\n":
            with self.subTest(unstable):
                status, output, calls = self.play(*runs, unstable=unstable)
                self.assertEqual((status, calls), (1, 2))
                self.assertIn("\nUNSTABLE, failed once: T.A: a(): late\n", output)

    def test_a_suite_that_is_listed_may_pass_alone(self):
        status, output, calls = self.play(
            {"suites": {"T.A": "late"}}, {"suites": {"T.A": None}},
            unstable="T.A the clock of others\n")
        self.assertEqual((status, calls), (0, 2))
        self.assertIn("UNSTABLE, failed once: T.A: a(): late", output)
        self.assertIn("the clock of others", output)

    def test_a_suite_that_is_listed_may_not_fail_twice(self):
        run = {"suites": {"T.A": "late"}}
        self.assertEqual(self.play(run, run, unstable="T.A a reason\n")[0], 1)

    def test_each_suite_is_judged_by_itself(self):
        status, output, _ = self.play(
            {"suites": {"T.A": "late", "T.B": "late"}}, {"suites": {"T.A": None, "T.B": "wrong"}},
            unstable="T.A a reason\n")
        self.assertEqual(status, 1)
        self.assertIn("UNSTABLE, failed once: T.A: a(): late", output)
        self.assertIn("\nFAILED: T.B: a(): late", output)

    def test_a_repetition_that_runs_nothing_proves_nothing(self):
        for again in {"suites": {}}, {"status": 0}, {"suites": {}, "status": 1}:
            with self.subTest(again):
                status, output, _ = self.play(
                    {"suites": {"T.A": "late"}}, again, unstable="T.A a reason\n")
                self.assertEqual(status, 1)
                self.assertIn("\nFAILED: T.A: a(): late", output)

    def test_more_than_three_suites_are_not_repeated(self):
        status, output, calls = self.play({"suites": {f"T.{name}": "no" for name in "ABCD"}})
        self.assertEqual((status, calls), (1, 1))
        self.assertEqual(output.count("\nFAILED: "), 4)

    def test_a_run_that_broke_off_is_not_repeated(self):
        for run in (
            {"suites": {"T.A": "late"}, "signal": 11},
            {"signal": 6},
            {"status": 1},
            {"suites": {"T.A": None}, "status": 1},
            {"suites": {"T.A": "late"}, "says": "error: Exited with unexpected signal code 5"},
        ):
            with self.subTest(run):
                status, _, calls = self.play(run, unstable="T.A a reason\n")
                self.assertEqual((status, calls), (1, 1))

    def test_the_word_of_a_sanitizer_fails_even_a_run_that_passes(self):
        for word in (
            "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x1",
            "WARNING: ThreadSanitizer: data race (pid=7)",
            "a.c:1:2: runtime error: signed integer overflow",
        ):
            for run in {"suites": {"T.A": None}, "says": word}, {"suites": {"T.A": word}}:
                with self.subTest(run):
                    status, output, calls = self.play(run, unstable="T.A a reason\n")
                    self.assertEqual((status, calls), (1, 1))
                    self.assertIn(f"CRASHED, which is not repeated: {word}", output)

    def test_a_gate_that_crashed_is_not_repeated(self):
        run = {"suites": {"T.A": "the gate ended by signal 4:\nFatal error"}}
        status, output, calls = self.play(run, unstable="T.A a reason\n")
        self.assertEqual((status, calls), (1, 1))
        self.assertIn("CRASHED", output)

    def test_a_crash_of_the_repetition_fails_the_run(self):
        status, output, _ = self.play(
            {"suites": {"T.A": "late"}},
            {"suites": {"T.A": None}, "says": "WARNING: ThreadSanitizer: data race"},
            unstable="T.A a reason\n")
        self.assertEqual(status, 1)
        self.assertIn("CRASHED: WARNING", output)

    def test_the_list_has_a_reason_for_each_suite_and_each_but_once(self):
        for unstable, word in (
            ("T.A\n", "line 1: T.A has no reason"),
            ("\nT.A  \n", "line 2: T.A has no reason"),
            ("T.A this\nT.A that\n", "line 2: T.A stands there twice"),
        ):
            with self.subTest(unstable):
                status, output, calls = self.play({"suites": {"T.A": None}}, unstable=unstable)
                self.assertEqual((status, calls), (1, 0))
                self.assertIn(word, output)

    def test_the_list_names_suites_that_exist(self):
        run = {"suites": {"T.A": None}}
        status, output, _ = self.play(run, unstable="T.Gone a reason\n")
        self.assertEqual(status, 1)
        self.assertIn("there is no suite T.Gone", output)
        # A part of the tests has not all suites.
        status, _, _ = self.play(run, unstable="T.B a reason\n", arguments=["--filter", "T.A"])
        self.assertEqual(status, 0)

    def test_a_list_that_is_missing_is_an_error(self):
        status, output, calls = self.play({"suites": {"T.A": None}}, unstable=None)
        self.assertEqual((status, calls), (1, 0))
        self.assertIn("unstable-suites.txt", output)


if __name__ == "__main__":
    unittest.main()
