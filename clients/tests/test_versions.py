"""The version that the packages have in common with the gate."""

import json
import re
import tomllib
import unittest

from scenes import ROOT

CLIENTS = ROOT / "clients"


def found(pattern, path):
    """Returns the first match of a pattern in a file."""
    return re.search(pattern, (ROOT / path).read_text(), re.MULTILINE)[1]


class VersionTests(unittest.TestCase):
    def setUp(self):
        self.version = found(r'static let version = "(.+)"', "Sources/versiongate/System/Release.swift")

    def test_all_packages_have_the_version_of_the_gate(self):
        python = tomllib.loads((CLIENTS / "python/pyproject.toml").read_text())
        versions = {
            "package.json": json.loads((CLIENTS / "javascript/package.json").read_text())["version"],
            "pyproject.toml": python["project"]["version"],
            "__init__.py": found(r'^__version__ = "(.+)"', "clients/python/versiongate/__init__.py"),
            "pom.xml": found("^  <version>(.+)</version>", "clients/kotlin/pom.xml"),
        }
        self.assertEqual(versions, dict.fromkeys(versions, self.version))

    def test_each_changelog_begins_with_it(self):
        for client in ["javascript", "python", "kotlin"]:
            self.assertEqual(found("^## (.+)$", f"clients/{client}/CHANGELOG.md"), self.version, client)


if __name__ == "__main__":
    unittest.main()
