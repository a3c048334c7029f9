#!/usr/bin/env bash
#
# sentry-relay: builds with dots are compared as text.
#
# Expected:  3.4.9+93.1 is older than 3.4.9+100, because builds compare as numbers (3.4.9+9 is older than
#            3.4.9+10), and CFBundleVersion, which Sentry's SDKs put there, has up to three numbers.
# Observed:  it is newer. If either build is not a single integer, both are compared as text. 3.4.9+93.10
#            is older than 3.4.9+93.9.
# Impact:    code that finds the newest release with this function reports an old build for teams
#            whose builds have dots. A floor or an adoption figure based on it is that of a wrong
#            build.
#
# Software:  sentry-relay 0.10.1 (PyPI)
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check sentry-relay==0.10.1

"$work/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from sentry_relay.processing import compare_version

print("sentry-relay", version("sentry-relay"))
recorded = {
    ("3.4.9+9", "3.4.9+10"): -1,
    ("3.4.9+93.1", "3.4.9+100"): 1,
    ("3.4.9+93.10", "3.4.9+93.9"): -1,
}
observed = {}
for first, second in recorded:
    observed[first, second] = compare_version(first, second)
    print(f"compare_version({first!r}, {second!r}) = {observed[first, second]}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: 3.4.9+93.1 is newer than 3.4.9+100")
PYTHON
