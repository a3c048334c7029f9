"""A gate in the situations that the examples are for, and what each example prints in them."""

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "clients/python/tests"))

from support import Gate, moment  # noqa: E402

# The time in which a command must end, in seconds, on a busy machine.
PATIENCE = 600

FLOOR = """rules:
  - id: floor
    minimum: "{minimum}"
    recommended: "4.2.0"
    notice: upgrade
    storeUrl: https://example.com/app
    accept: [plan-opens]
"""
NOTICES = """notices:
  upgrade:
    en: {title: Update required, message: "Version {currentVersion} no longer works.", button: Update}
  moving:
    en: {title: Maintenance, message: The database is moving.}
"""


def rules(minimum="3.5.0", more=""):
    return FLOOR.format(minimum=minimum) + more + NOTICES


def run(*command, folder=None, **environment):
    """Returns the output of a command; fails with all of its output if the command does."""
    result = subprocess.run(
        [str(part) for part in command], cwd=folder, env=os.environ | environment, timeout=PATIENCE,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: {result.returncode}\n{result.stdout}")
    return result.stdout


def report_size(*files):
    """Prints the sizes of artifacts."""
    for file in files:
        print(f"{file.name}: {file.stat().st_size:,} bytes", flush=True)


class Running:
    """An example that runs until the end of a test."""

    def __init__(self, command, environment):
        self._process = subprocess.Popen(
            [str(part) for part in command], env=os.environ | environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        )
        self._limit = threading.Timer(PATIENCE, self._process.kill)
        self._limit.start()

    def line(self):
        """Waits for the next line; it is empty after the last one."""
        return self._process.stdout.readline().rstrip("\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._limit.cancel()
        self._process.kill()
        self._process.wait(PATIENCE)
        self._process.stdout.close()


class PackageTest:
    """The tests of the examples of a package; a subclass builds the package and installs it.

    The examples print the same in all languages.
    """

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="versiongate-package-")
        cls.addClassCleanup(folder.cleanup)
        cls.out = Path(folder.name) / "out"
        cls.project = Path(folder.name) / "project"
        cls.project.mkdir()
        cls.install()
        cls.gate = Gate(rules())
        cls.addClassCleanup(cls.gate.end)

    def setUp(self):
        self.gate.change(rules())

    # The environment of the examples.
    environment = {}

    def example(self, name, *arguments):
        """Returns the output of an example."""
        return run(*self.command(name), *arguments, **self.environment).rstrip("\n")

    def start(self, name, *arguments):
        return Running([*self.command(name), *arguments], self.environment)

    def test_interceptor(self):
        denied = "denied: Version 3.4.9 no longer works. https://example.com/app"
        self.assertEqual(self.example("interceptor", self.gate.url, "3.4.9"), denied)
        self.assertEqual(self.example("interceptor", self.gate.url, "3.5.0"), "status 200")

    def test_launch_check(self):
        for version, output in [
            ("3.4.9", "update first: https://example.com/app"),
            ("3.5.0", "start, and offer 4.2.0"),
            ("4.2.0", "start"),
        ]:
            with self.subTest(version):
                self.assertEqual(self.example("launch-check", self.gate.url, version), output)

    def test_blocking_screen(self):
        shown = "show: Update required: Version 3.4.9 no longer works. [Update: https://example.com/app]"
        with self.start("blocking-screen", self.gate.url, "3.4.9") as app:
            line = app.line()
            # The Swift library reports first that it knows nothing yet.
            self.assertEqual(app.line() if line == "hide" else line, shown)
            self.gate.change(rules("3.4.0"))
            self.assertEqual(app.line(), "hide")

    def test_maintenance(self):
        until = moment(600)
        self.gate.change(rules(more=(
            f"  - id: moving\n    maintenance: {{from: {moment(-60)}, until: {until}}}\n    notice: moving\n"
        )))
        with self.start("maintenance", self.gate.url, "4.2.0") as app:
            self.assertEqual(app.line(), f"maintenance until {until}: The database is moving.")
            self.gate.change(rules())
            self.assertEqual(app.line(), "maintenance is over")

    def test_offline(self):
        gate = Gate(rules())
        with tempfile.TemporaryDirectory() as folder:
            arguments = ["offline", gate.url, "3.4.9", Path(folder) / "state"]
            try:
                self.assertEqual(self.example(*arguments), "online")
            finally:
                gate.end()
            output = "start offline; last time, an update was required"
            self.assertEqual(self.example(*arguments), output)
            arguments[-1] = Path(folder) / "another"
            self.assertEqual(self.example(*arguments), "start offline")
