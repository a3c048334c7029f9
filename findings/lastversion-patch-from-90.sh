#!/usr/bin/env bash
#
# lastversion: 3.5.90 and all later releases of 3.5 are pre-releases, so 3.5.89 stays the latest version.
#
# Expected:  "lastversion" prints the latest stable version of a project. A pre-release is marked as such, for example
#            with rc or beta in the tag. After the releases 3.5.89, 3.5.90 and 3.5.93, it prints 3.5.93.
# Observed:  3.5.90 and 3.5.93 are not stable, and the latest version is 3.5.89. A third part of 90 or more means a
#            pre-release, unless it is a date. (Some desktop projects number their betas like this. The README does
#            not mention it.) The rule needs a second part other than 0: 3.0.93 is stable.
# Impact:    many apps have the build number or a counter as the third part. A version check or a floor that gets the
#            latest release from this tool stays at 3.5.89 until 3.6.0 is released, and the app of the current
#            release appears to be newer than the latest one.
# Guess:     3.5.93 is stable.
#
# Software:  lastversion 3.6.19 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check lastversion==3.6.19

export HOME="$work"
"$work/venv/bin/python" - "$work" <<'PYTHON'
import subprocess
import sys
from importlib.metadata import version

from lastversion.repo_holders.base import BaseProjectHolder

print("lastversion", version("lastversion"))
recorded = {
    "v3.5.9": "3.5.9, stable: True",
    "v3.5.89": "3.5.89, stable: True",
    "v3.5.90": "3.5.90, stable: False",
    "v3.5.93": "3.5.93, stable: False",
    "v3.5.100": "3.5.100, stable: False",
    "v3.0.93": "3.0.93, stable: True",
    "v3.6.0-beta": "3.6.0b0, stable: False",
}
observed = {}
for tag in recorded:
    done = subprocess.run([sys.argv[1] + "/venv/bin/lastversion", "test", tag], check=True, capture_output=True,
                          text=True)
    fields = dict(line.split(": ") for line in done.stdout.splitlines() if ": " in line)
    observed[tag] = f"{fields['Parsed as']}, stable: {fields['Stable']}"
    print(f"lastversion test {tag}: {observed[tag]}")

# All sources of releases select the tags with this method.
tags = ["v3.5.88", "v3.5.89", "v3.5.90", "v3.5.93"]
selected = [BaseProjectHolder("example/app", "git.example.com").sanitize_version(tag) for tag in tags]
latest = str(max(each for each in selected if each))
print(f"the latest version of {' '.join(tags)}: {latest}")
if observed != recorded or latest != "3.5.89":
    sys.exit(f"changed: recorded was {recorded} and 3.5.89")
print("as recorded: 3.5.89 is the latest version, and 3.5.93 is a pre-release")
PYTHON
