#!/usr/bin/env bash
#
# posthog: local evaluation of semver conditions drops the fourth part and the pre-release.
#
# Expected:  18.9.0.1 is less than 18.9.0.2, or cannot be evaluated locally (the SDK has an outcome
#            for that); 3.5.0-beta.1 is less than 3.5.0, as in Semantic Versioning.
# Observed:  both pairs are equal. Everything after the third part and after the hyphen is dropped
#            from the client's version and from the condition's value without a message.
# Impact:    a flag "force an update below 18.9.0.2" does not match the broken 18.9.0.1, and a
#            flag "below 3.5.0" does not match the betas of 3.5.0.
#
# Software:  posthog 7.91.1 (PyPI)
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check posthog==7.91.1

"$work/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from posthog.feature_flags import match_property

print("posthog", version("posthog"))
recorded = {
    ("18.8.9", "18.9.0.2"): True,
    ("18.9.0.1", "18.9.0.2"): False,
    ("3.4.9", "3.5.0"): True,
    ("3.5.0-beta.1", "3.5.0"): False,
}
observed = {}
for client, floor in recorded:
    condition = {"key": "version", "type": "person", "operator": "semver_lt", "value": floor}
    observed[client, floor] = match_property(condition, {"version": client})
    print(f"{client} semver_lt {floor}: {observed[client, floor]}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: 18.9.0.1 is not below 18.9.0.2, 3.5.0-beta.1 is not below 3.5.0")
PYTHON
