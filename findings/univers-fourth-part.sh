#!/usr/bin/env bash
#
# univers: a hotfix with a fourth part is both "<=" and ">=" its release, but not equal to it.
#
# Expected:  SemverVersion("3.5.0.1") raises an error, because it is not a semantic version, or is newer
#            than SemverVersion("3.5.0"). Two versions with both "<=" and ">=" are equal.
# Observed:  the fourth part becomes build metadata. The order ignores it and equality does not, so
#            "<=" and ">=" are true for the pair, and "==", "<" and ">" are not. The same applies to
#            3.5.0+94 and 3.5.0+93.
# Impact:    a list of blocked versions written as "<= 3.5.0" blocks the fix 3.5.0.1, and a check
#            for an available update with ">" never offers it, while a comparison with "==" reports
#            another version.
#
# Software:  univers 32.0.1 (PyPI)
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check univers==32.0.1

"$work/venv/bin/python" - <<'PYTHON'
import operator
import sys
from importlib.metadata import version

from univers.versions import SemverVersion

print("univers", version("univers"))
operators = {"<": operator.lt, "<=": operator.le, "==": operator.eq, ">=": operator.ge,
             ">": operator.gt}
recorded = {
    ("3.5.1", "3.5.0"): [">=", ">"],
    ("3.5.0", "3.5.0"): ["<=", "==", ">="],
    ("3.5.0.1", "3.5.0"): ["<=", ">="],
    ("3.5.0+94", "3.5.0+93"): ["<=", ">="],
}
observed = {}
for client, floor in recorded:
    left, right = SemverVersion(client), SemverVersion(floor)
    observed[client, floor] = [sign for sign, holds in operators.items() if holds(left, right)]
    print(f"{client} and {floor}: {' '.join(observed[client, floor])}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: 3.5.0.1 is <= 3.5.0 and not == 3.5.0")
PYTHON
