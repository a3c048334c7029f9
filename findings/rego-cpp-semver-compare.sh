#!/usr/bin/env bash
#
# regopy (rego-cpp): semver.compare() in a Rego policy reports that 3.5.0 is older than 3.4.9.
#
# Expected:  semver.compare("3.5.0", "3.4.9") is 1, and for "3.5.0-beta" and "3.5.0" it is -1, as in
#            Semantic Versioning and in the documentation of Rego's built-in functions.
# Observed:  both results are inverted. The result is -1 if any part of the first version is lower,
#            even if a part before it is higher, so 3.5.0 and 3.4.9 are each older than the
#            other. 3.5.1 and 3.5.0, and 4.0.0 and 3.0.0, are compared correctly.
# Impact:    a policy "deny if semver.compare(input.version, data.floor) == -1" denies 3.5.0, the
#            newest version, at a floor of 3.4.9. At a floor of 3.5.0, its betas pass.
#
# Software:  regopy 1.5.2 (PyPI), the Python package of rego-cpp
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check regopy==1.5.2

"$work/venv/bin/python" - <<'PYTHON'
import json
import sys
from importlib.metadata import version

from regopy import Interpreter

print("regopy", version("regopy"))
recorded = {
    'semver.compare("3.4.9", "3.5.0")': -1,
    'semver.compare("3.5.0", "3.4.9")': -1,
    'semver.compare("10.0.0", "9.9.0")': -1,
    'semver.compare("3.5.1", "3.5.0")': 1,
    'semver.compare("3.5.0-beta", "3.5.0")': 1,
}
observed = {}
rego = Interpreter()
for call in recorded:
    result = json.loads(str(rego.query("result := " + call)))
    observed[call] = result["bindings"]["result"]
    print(f"{call} = {observed[call]}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: 3.5.0 is older than 3.4.9, and 3.4.9 is older than 3.5.0")
PYTHON
