"""Tests what fails a test run, with a simulated `swift`."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

DEV = Path(__file__).resolve().parent.parent

# Simulates the next run, and records its arguments.
FAKE_SWIFT = """#!/bin/sh
folder=$(dirname "$0")
echo "$*" >>"$folder/calls"
run=$folder/run-$(wc -l <"$folder/calls")
cat "$run/says"
if [ -f "$run/report" ]; then cp "$run/report" "${4%.xml}-swift-testing.xml"; fi
. "$run/end"
"""

# Simulates the target that is its last argument.
FAKE_MAKE = """#!/bin/sh
for target; do :; done
. "$(dirname "$0")/target-$target"
"""


class RunTests(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "dev").mkdir()
        for name in "run-tests.py", "suite_counts.py":
            shutil.copy(DEV / name, self.folder / "dev")
        for name, text in ("swift", FAKE_SWIFT), ("make", FAKE_MAKE):
            program = self.folder / name
            program.write_text(text)
            program.chmod(0o755)
        self.swift = self.folder / "swift"

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
            for suite, reason in run.get("skips", {}).items():
                case = ElementTree.SubElement(root, "testcase", classname=suite, name="b()")
                ElementTree.SubElement(case, "skipped").text = reason
            ElementTree.ElementTree(root).write(folder / "report")
        status = run.get("status", 1 if any((suites or {}).values()) else 0)
        end = f"kill -{run['signal']} $$" if "signal" in run else f"exit {status}"
        (folder / "end").write_text(end + "\n")

    def play(self, *runs, unstable="", arguments=(), beside=None, system="debian"):
        """Returns the exit status, the output, and the number of calls of `swift`.

        `beside`: the shell commands of each target that runs in parallel with the Swift tests.
        """
        if unstable is not None:
            (self.folder / "dev/unstable-suites.txt").write_text(unstable)
        for number, run in enumerate(runs, 1):
            self.prepare(number, run)
        calls = self.folder / "calls"
        calls.unlink(missing_ok=True)
        for target, commands in (beside or {}).items():
            (self.folder / f"target-{target}").write_text(commands)
        release = self.folder / "os-release"
        release.write_text(f'NAME="Some Linux"\nID={system}\nID_LIKE=debian\n')
        command = [sys.executable, self.folder / "dev/run-tests.py", "--os-release", release]
        command += ["--beside", *beside] if beside else []
        programs = {"SWIFT": str(self.swift), "MAKE": str(self.folder / "make")}
        result = subprocess.run(
            [*command, *arguments], env=os.environ | programs, text=True, timeout=60,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.calls = calls.read_text().splitlines() if calls.exists() else []
        return result.returncode, result.stdout, len(self.calls)

    def test_a_run_that_passes_passes(self):
        status, output, calls = self.play({"suites": {"T.A": None}, "says": "a word"})
        self.assertEqual((status, calls), (0, 1))
        self.assertIn("a word", output)

    def test_the_last_line_counts_all_tests(self):
        many = {f"T.{number}": None for number in range(7)}
        beside = {
            "test-ours": "echo 'SKIPPED is a word'; echo 40 passed, 0 failed, 0 skipped",
            "test-tap": "printf '# tests 3\\n# pass 3\\n# fail 0\\n# cancelled 0\\n# skipped 0\\n'",
        }
        status, output, _ = self.play({"suites": many}, beside=beside)
        self.assertEqual(status, 0, output)
        self.assertEqual(output.splitlines()[-4:], [
            "swift: 7 passed, 0 failed, 0 skipped",
            "test-ours: 40 passed, 0 failed, 0 skipped",
            "test-tap: 3 passed, 0 failed, 0 skipped",
            "50 passed, 0 failed, 0 skipped",
        ])
        self.assertEqual((self.folder / ".build/beside/test-ours.txt").read_text().count("\n"), 2)

    def test_a_skipped_test_fails_the_run_and_is_named_with_its_reason(self):
        run = {"suites": {"T.A": None}, "skips": {"T.B": "chromium: not installed", "T.C": None}}
        status, output, calls = self.play(run)
        self.assertEqual((status, calls), (1, 1))
        self.assertIn("\nSKIPPED: swift: T.B: b(): chromium: not installed\n", output)
        self.assertIn("\nSKIPPED: swift: T.C: b(): no reason given\n", output)
        self.assertTrue(output.endswith("\n1 passed, 0 failed, 2 skipped\n"), output)

    def test_a_skip_beside_the_tests_in_swift_fails_the_run(self):
        ours = "echo SKIPPED: a.B.c: no openssl; echo 5 passed, 0 failed, 1 skipped"
        tap = (
            "echo 'ok 1 - fine'; echo '    ok 1 - part # SKIP no gate'; echo 'ok 2 - later # TODO'\n"
            "printf '# pass 4\\n# fail 0\\n# cancelled 0\\n# skipped 1\\n# todo 1\\n'"
        )
        for commands, skips, closing in (
            (ours, ["a.B.c: no openssl"], "6 passed, 0 failed, 1 skipped"),
            (tap, ["part: no gate", "later: no reason given"], "5 passed, 0 failed, 2 skipped"),
        ):
            with self.subTest(closing):
                status, output, _ = self.play({"suites": {"T.A": None}}, beside={"t": commands})
                self.assertEqual(status, 1)
                for skip in skips:
                    self.assertIn(f"\nSKIPPED: t: {skip}\n", output)
                self.assertTrue(output.endswith(f"\n{closing}\n"), output)

    def test_where_nothing_can_be_installed_skips_are_said_loudly(self):
        run = {"suites": {"T.A": None}, "skips": {"T.B": "chromium: not installed"}}
        status, output, _ = self.play(run, system="fedora")
        self.assertEqual(status, 0)
        self.assertIn("SKIPPED: swift: T.B: b(): chromium: not installed", output)
        self.assertIn("\nNOT TESTED: 1 tests were skipped", output)
        self.assertTrue(output.endswith("\n1 passed, 0 failed, 1 skipped\n"), output)

    def test_a_target_beside_that_fails_fails_the_run_and_its_output_is_shown(self):
        commands = "echo what went wrong; echo 5 passed, 2 failed, 0 skipped; exit 1"
        status, output, _ = self.play({"suites": {"T.A": None}}, beside={"t": commands})
        self.assertEqual(status, 1)
        self.assertIn("\nt failed:\nwhat went wrong\n", output)
        self.assertTrue(output.endswith("\n6 passed, 2 failed, 0 skipped\n"), output)
        # An aborted run has no counts.
        status, output, _ = self.play({"suites": {"T.A": None}}, beside={"t": "kill -9 $$"})
        self.assertEqual(status, 1)
        self.assertTrue(output.endswith("\n1 passed, 1 failed, 0 skipped\n"), output)

    def test_a_target_beside_that_counts_nothing_proves_nothing(self):
        for commands in "echo OK", "echo 0 passed, 0 failed, 0 skipped", "echo '# pass 0'":
            with self.subTest(commands):
                status, output, _ = self.play({"suites": {"T.A": None}}, beside={"t": commands})
                self.assertEqual(status, 1)
                self.assertIn("t does not report how many tests it ran: see .build/beside/t.txt", output)

    def test_three_targets_run_at_a_time_in_their_order(self):
        note = "echo $target >>started; echo $$ >running-$target; ls running-* | wc -l >>at-once; " \
            "sleep 0.3; rm running-$target; echo 1 passed, 0 failed, 0 skipped"
        beside = {f"test-{number}": note for number in range(7)}
        status, output, _ = self.play({"suites": {"T.A": None}}, beside=beside)
        self.assertEqual(status, 0, output)
        self.assertEqual(max(map(int, (self.folder / "at-once").read_text().split())), 3)
        self.assertEqual(sorted((self.folder / "started").read_text().split()[:3]), ["test-0", "test-1", "test-2"])

    def test_a_run_that_broke_off_counts_as_a_failure(self):
        for run in {"signal": 6}, {"suites": {}, "status": 1}:
            with self.subTest(run):
                status, output, _ = self.play(run)
                self.assertEqual(status, 1)
                self.assertTrue(output.endswith("\n0 passed, 1 failed, 0 skipped\n"), output)

    def test_a_run_without_tests_proves_nothing(self):
        self.assertEqual(self.play({"suites": {}})[0], 1)

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
        self.assertTrue(output.endswith("\n1 passed, 0 failed, 0 skipped\n"), output)

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
                    self.assertIn(f"CRASHED, and a crash is not retried: {word}", output)

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
        # A partial run does not contain all suites.
        status, _, _ = self.play(run, unstable="T.B a reason\n", arguments=["--filter", "T.A"])
        self.assertEqual(status, 0)

    def test_a_list_that_is_missing_is_an_error(self):
        status, output, calls = self.play({"suites": {"T.A": None}}, unstable=None)
        self.assertEqual((status, calls), (1, 0))
        self.assertIn("unstable-suites.txt", output)


if __name__ == "__main__":
    unittest.main()
