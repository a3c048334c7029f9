#!/usr/bin/env bash
#
# growthbook: a version with four parts is older than the same version with three.
#
# Expected:  the version operators compare part by part as numbers, with missing parts as 0, so
#            3.5.0.1 is newer than 3.5.0, and 3.5 equals 3.5.0.
# Observed:  3.5.0.1 and 3.5 are both less than 3.5.0. Versions are compared as padded text, in
#            which only a version of exactly three parts gets the end marker that makes it newer
#            than its pre-releases. With any other number of parts, the version sorts like a
#            pre-release.
# Impact:    a flag "force an update below 3.5.0" blocks the hotfix 3.5.0.1, although the store may
#            have no newer version, and clients that report 3.5.0 as 3.5.
#
# Software:  growthbook 4.0.0 (PyPI)
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check growthbook==4.0.0

"$work/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from growthbook import GrowthBook

print("growthbook", version("growthbook"))
feature = {
    "defaultValue": False,
    "rules": [{"condition": {"version": {"$vlt": "3.5.0"}}, "force": True}],
}
recorded = {"3.4.9": True, "3.4.9.1": True, "3.5.0": False, "3.5.0.1": True, "3.5": True}
observed = {}
for client in recorded:
    context = GrowthBook(attributes={"version": client}, features={"force-update": feature})
    observed[client] = context.is_on("force-update")
    print(f"{client} $vlt 3.5.0: {observed[client]}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: 3.5.0.1 and 3.5 are below 3.5.0")
PYTHON
