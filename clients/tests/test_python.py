"""The wheel and the sdist for Python, the wheel in a new virtual environment."""

import sys
import tarfile
import unittest
import zipfile

from scenes import ROOT, PackageTest, report_size, run

CLIENT = ROOT / "clients/python"
TOOLS = ROOT / ".build/packaging/bin/python3"

IS_INSTALLED = """
import importlib.metadata, importlib.resources, sys, versiongate
assert versiongate.__file__.startswith(sys.prefix), versiongate.__file__
assert importlib.resources.files("versiongate").joinpath("py.typed").is_file()
data = importlib.metadata.metadata("versiongate")
assert data["Version"] == versiongate.__version__
assert data["License-Expression"] == "Apache-2.0"
assert data["Requires-Dist"] is None
"""


@unittest.skipUnless(TOOLS.exists(), "dev/install-python.sh clients/python/build-requirements.txt .build/packaging")
class PythonPackageTests(PackageTest, unittest.TestCase):
    @classmethod
    def install(cls):
        run(CLIENT / "package.sh", cls.out)
        cls.wheel, = cls.out.glob("*.whl")
        cls.source, = cls.out.glob("*.tar.gz")
        report_size(cls.wheel, cls.source)
        run(sys.executable, "-m", "venv", cls.project)
        cls.python = cls.project / "bin/python3"
        run(cls.python, "-m", "pip", "install", "--quiet", "--no-index", cls.wheel)

    def command(self, name):
        # Isolated, so that the package in the repository is not found.
        return [self.python, "-I", CLIENT / "examples" / f"{name.replace('-', '_')}.py"]

    def test_the_installed_package_has_types_and_metadata(self):
        run(self.python, "-I", "-c", IS_INSTALLED)

    def test_the_index_would_accept_both(self):
        run(TOOLS, "-m", "twine", "check", "--strict", self.wheel, self.source)

    def test_both_have_all_files(self):
        modules = {f"versiongate/{file.name}" for file in (CLIENT / "versiongate").glob("*.py")}
        modules.add("versiongate/py.typed")
        with zipfile.ZipFile(self.wheel) as archive:
            wheel = {name for name in archive.namelist() if not name.startswith("versiongate-")}
            self.assertTrue(any(name.endswith("/licenses/LICENSE") for name in archive.namelist()))
        self.assertEqual(wheel, modules)
        with tarfile.open(self.source) as archive:
            source = {name.partition("/")[2] for name in archive.getnames()}
        self.assertLessEqual(modules | {"CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml"}, source)


if __name__ == "__main__":
    unittest.main()
