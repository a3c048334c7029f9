#!/usr/bin/env bash
#
# ua-parser: the version in "MyApp/3.4.9/93 CFNetwork/…" is 93.
#
# Expected:  the family is MyApp and the version 3.4.9, as for "MyApp/3.4.9 CFNetwork/…"; the second
#            number is the build.
# Observed:  the family is "MyApp/3.4.9" and the major version 93. The pattern for CFNetwork reads
#            everything before the last slash as the app's name.
# Impact:    every version is a separate family, so a chart or rule for MyApp does not include
#            these clients, and with a floor of 3.5.0, 3.4.9 passes as version 93.
#
# Software:  ua-parser 1.0.2 with ua-parser-builtins 202610 (PyPI)
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check \
    ua-parser==1.0.2 ua-parser-builtins==202610

"$work/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from ua_parser import parse_user_agent

print("ua-parser", version("ua-parser"), "with ua-parser-builtins", version("ua-parser-builtins"))
recorded = {
    "MyApp/3.4.9 CFNetwork/1494.0.7 Darwin/23.4.0": ("MyApp", "3", "4", "9"),
    "MyApp/3.4.9/93 CFNetwork/1494.0.7 Darwin/23.4.0": ("MyApp/3.4.9", "93", None, None),
}
observed = {}
for field in recorded:
    app = parse_user_agent(field)
    observed[field] = app and (app.family, app.major, app.minor, app.patch)
    print(f"{field}: {observed[field]}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: 3.4.9/93 is read as version 93")
PYTHON
