"""Tests the parts of the Helm chart that need no Helm; `make helm` renders it."""

import copy
import json
import re
import unittest
from pathlib import Path

import jsonschema
import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
CHART = ROOT / "deploy" / "helm" / "versiongate"
VALUES = yaml.safe_load((CHART / "values.yaml").read_text())
SCHEMA = json.loads((CHART / "values.schema.json").read_text())
# Values that a user writes as a whole.
WHOLE = {"upstreamNamed", "settings", "resources"}


def paths(values, prefix=""):
    for name, value in values.items():
        path = prefix + name
        if isinstance(value, dict) and value and path not in WHOLE:
            yield from paths(value, path + ".")
        else:
            yield path


def with_value(path, value):
    values = copy.deepcopy(VALUES)
    *folders, name = path.split(".")
    inner = values
    for folder in folders:
        inner = inner[folder]
    inner[name] = value
    return values


class HelmChart(unittest.TestCase):
    def is_valid(self, values):
        return jsonschema.Draft7Validator(SCHEMA).is_valid(values)

    def test_the_schema_accepts_the_defaults_and_the_value_sets(self):
        jsonschema.Draft7Validator.check_schema(SCHEMA)
        jsonschema.validate(VALUES, SCHEMA, jsonschema.Draft7Validator)
        for file in (CHART / "ci").glob("*.yaml"):
            with self.subTest(file.name):
                jsonschema.validate(yaml.safe_load(file.read_text()), SCHEMA, jsonschema.Draft7Validator)

    def test_the_schema_refuses_unknown_names_and_wrong_types_at_every_level(self):
        for path in paths(VALUES):
            with self.subTest(path):
                self.assertFalse(self.is_valid(with_value(path, object)))
                folder, _, name = path.rpartition(".")
                if path not in WHOLE:
                    self.assertFalse(self.is_valid(with_value(f"{folder}.{name}x".lstrip("."), VALUES)))

    def test_the_schema_has_the_values_and_no_others(self):
        def named(schema, prefix=""):
            for name, part in schema["properties"].items():
                if "properties" in part:
                    yield from named(part, f"{prefix}{name}.")
                else:
                    yield prefix + name
        self.assertEqual(sorted(named(SCHEMA)), sorted([*paths(VALUES), "global"]))

    def test_the_readme_lists_all_values(self):
        table = (CHART / "README.md").read_text().split("## Values")[1].split("## ")[0]
        listed = [name for row in re.findall(r"^\| (`[^|]+`) \|", table, re.MULTILINE) for name in re.findall("`(.+?)`", row)]
        self.assertEqual(sorted(listed), sorted(paths(VALUES)))

    def test_all_settings_of_the_gate_can_be_set(self):
        flags = re.findall(r"^\| `--([a-z-]+)`", (ROOT / "docs" / "settings.md").read_text(), re.MULTILINE)
        template = (CHART / "templates" / "deployment.yaml").read_text()
        own = set(re.findall(r"name: VERSIONGATE_([A-Z_]+)$", template, re.MULTILINE))
        # The Service has no port for it: the client port can use TLS.
        own.add("TLS_LISTEN")
        expected = {re.sub("-(.)", lambda match: match[1].upper(), flag) for flag in flags
                    if flag.upper().replace("-", "_") not in own}
        self.assertEqual(set(SCHEMA["properties"]["settings"]["propertyNames"]["enum"]), expected)

    def test_the_version_is_the_gate_s(self):
        release = (ROOT / "Sources" / "versiongate" / "System" / "Release.swift").read_text()
        version = re.search(r'version = "(.+)"', release)[1]
        chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
        self.assertEqual((chart["version"], chart["appVersion"]), (version, version))


if __name__ == "__main__":
    unittest.main()
