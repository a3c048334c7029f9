#!/usr/bin/env bash
#
# semantic-version: coerce() turns a build in parentheses into a pre-release.
#
# Expected:  Version.coerce("3.5.0 (93)") is 3.5.0+93 (a fourth part and other trailing text
#            become build metadata), or raises an error.
# Observed:  the result is 3.5.0--93-, a pre-release of 3.5.0. Characters that are not allowed are
#            replaced by hyphens, and the first hyphen then starts the pre-release. 3.5.0_93 and
#            3.5.0/93 become 3.5.0-93.
# Impact:    apps often show version and build as "3.5.0 (93)". Such a client is older than 3.5.0, so
#            a floor of 3.5.0 denies the newest build.
#
# Software:  semantic-version 2.10.0 (PyPI)
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check semantic-version==2.10.0

"$work/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from semantic_version import Version

print("semantic-version", version("semantic-version"))
floor = Version("3.5.0")
recorded = {
    "3.5.0.93": ("3.5.0+93", True),
    "3.5.0.beta": ("3.5.0+beta", True),
    "3.5.0 (93)": ("3.5.0--93-", False),
    "3.5.0_93": ("3.5.0-93", False),
    "3.5.0/93": ("3.5.0-93", False),
}
observed = {}
for text in recorded:
    coerced = Version.coerce(text)
    observed[text] = (str(coerced), coerced >= floor)
    print(f"{text}: coerce() = {coerced}, at least 3.5.0: {coerced >= floor}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: 3.5.0 (93) is older than 3.5.0")
PYTHON
