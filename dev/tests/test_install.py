"""Tests dev/install-python.sh and dev/install-packages.sh on different machines."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

DEV = Path(__file__).resolve().parent.parent

BROKEN_PYTHON = "#!/bin/sh\nexit 1\n"

# A Python that creates an environment. The Python there logs its arguments, and recognizes a requirement by its
# `==`.
PYTHON = """#!/bin/sh
if [ "$1 $2" = "-m venv" ]; then
    mkdir -p "$3/bin"
    printf '#!/bin/sh\\necho "$*" >>calls\\nexec grep -q == dev/python-requirements.txt\\n' >"$3/bin/python3"
    chmod +x "$3/bin/python3"
fi
"""


class Install(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "dev").mkdir()
        for script in DEV.glob("install-*.sh"):
            shutil.copy(script, self.folder / "dev")

    def program(self, path, text):
        file = self.folder / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)

    def run_script(self, *command, folders=(), tools=()):
        """Returns the exit status and the output, with only these folders and tools in PATH."""
        (self.folder / "tools").mkdir(exist_ok=True)
        for tool in ("bash", "dirname", "env", *tools):
            link = self.folder / "tools" / tool
            if not link.exists():
                link.symlink_to(shutil.which(tool))
        path = ":".join(f"{self.folder}/{name}" for name in (*folders, "tools"))
        result = subprocess.run(
            [self.folder / "dev" / command[0], *command[1:]], env=os.environ | {"PATH": path},
            text=True, timeout=60, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return result.returncode, result.stdout


class InstallPython(Install):
    def install(self, wanted, *named):
        (self.folder / "dev/python-requirements.txt").write_text(wanted)
        tools = ("chmod", "cmp", "cp", "grep", "mkdir", "rm")
        return self.run_script("install-python.sh", *named, folders=("first", "second"), tools=tools)

    def calls(self):
        calls = (self.folder / "calls").read_text().splitlines()
        return [call for call in calls if "pip install" in call]

    def test_the_first_python_that_can_makes_it_once(self):
        self.program("first/python3", BROKEN_PYTHON)
        self.program("second/python3", PYTHON)
        status, output = self.install("one==1\n")
        self.assertEqual(status, 0, output)
        self.assertIn(f"with {self.folder}/second/python3", output)
        self.assertEqual(len(self.calls()), 1)
        self.assertIn("--require-hashes --requirement dev/python-requirements.txt", self.calls()[0])
        self.assertEqual(self.install("one==1\n"), (0, ""))
        self.assertEqual(len(self.calls()), 1)
        # Other versions need another environment.
        self.assertEqual(self.install("one==2\n")[0], 0)
        self.assertEqual(len(self.calls()), 2)

    def test_an_environment_whose_python_does_not_run_is_made_anew(self):
        self.program("first/python3", PYTHON)
        self.install("one==1\n")
        self.program(".build/python/bin/python3", BROKEN_PYTHON)
        self.assertEqual(self.install("one==1\n")[0], 0)
        self.assertEqual(len(self.calls()), 2)

    def test_other_requirements_have_an_environment_of_their_own(self):
        self.program("first/python3", PYTHON)
        self.install("one==1\n")
        (self.folder / "others.txt").write_text("two==2\n")
        status, output = self.install("one==1\n", "others.txt", ".build/others")
        self.assertEqual(status, 0, output)
        self.assertIn("--require-hashes --requirement others.txt", self.calls()[1])
        for name in "python", "others":
            self.assertTrue((self.folder / f".build/{name}/bin/python3").exists())

    def test_what_cannot_be_installed_is_an_error(self):
        self.program("first/python3", BROKEN_PYTHON)
        self.program("second/python3", PYTHON)
        status, output = self.install("one\n")
        self.assertEqual(status, 1)
        self.assertIn(".build/python cannot be made", output)
        self.assertFalse((self.folder / ".build/python/requirements.txt").exists())


class InstallPackages(Install):
    def test_where_there_is_no_apt_only_the_tests_go_on(self):
        for purpose, expected in ("test", 0), ("build", 1):
            with self.subTest(purpose):
                status, output = self.run_script("install-packages.sh", purpose)
                self.assertEqual(status, expected, output)
                self.assertRegex(output, "NOT INSTALLED, as there is no apt-get here: .*libssl-dev")


if __name__ == "__main__":
    unittest.main()
