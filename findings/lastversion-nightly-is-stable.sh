#!/usr/bin/env bash
#
# lastversion: the tags v3.6.0-nightly, v3.6.0-internal and v3.6.0-Beta are the stable version 3.6.0.
#
# Expected:  a tag with a suffix such as -nightly or -internal is a pre-release, as in SemVer, or at least stays
#            distinct from the release. v3.6.0-Beta is the same as v3.6.0-beta.
# Observed:  all suffixes that are words are removed, except for a few in lowercase (alpha, beta, rc, pre, preview,
#            dev, devel, test). The tag then counts as the stable release 3.6.0. v3.6.0-Beta, v3.6.0-RC and
#            v3.6.0-SNAPSHOT are stable too. With a number after the word (v3.6.0-Beta1), the result is right.
#            (According to the source, a release marked as a pre-release on GitHub is skipped; a plain tag is not.)
# Impact:    the day the first nightly or internal build of 3.6.0 is tagged, 3.6.0 is the latest stable version.
#            A version check or a floor that gets the latest release from this tool tells all users to update to a
#            version that is not in the store, or denies them all.
# Guess:     the tags with a suffix are not stable, or an error.
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
    "v3.5.0": "3.5.0, stable: True",
    "v3.6.0-beta": "3.6.0b0, stable: False",
    "v3.6.0-rc.1": "3.6.0rc1, stable: False",
    "v3.6.0-Beta1": "3.6.0b1, stable: False",
    "v3.6.0-nightly": "3.6.0, stable: True",
    "v3.6.0-internal": "3.6.0, stable: True",
    "v3.6.0-SNAPSHOT": "3.6.0, stable: True",
    "v3.6.0-Beta": "3.6.0, stable: True",
    "v3.6.0-RC": "3.6.0, stable: True",
}
observed = {}
for tag in recorded:
    done = subprocess.run([sys.argv[1] + "/venv/bin/lastversion", "test", tag], check=True, capture_output=True,
                          text=True)
    fields = dict(line.split(": ") for line in done.stdout.splitlines() if ": " in line)
    observed[tag] = f"{fields['Parsed as']}, stable: {fields['Stable']}"
    print(f"lastversion test {tag}: {observed[tag]}")

# All sources of releases select the tags with this method.
latest = {}
for tags in ("v3.4.9 v3.5.0 v3.6.0-beta", "v3.4.9 v3.5.0 v3.6.0-nightly"):
    holder = BaseProjectHolder("example/app", "git.example.com")
    selected = [holder.sanitize_version(tag) for tag in tags.split()]
    latest[tags] = str(max(each for each in selected if each))
    print(f"the latest version of {tags}: {latest[tags]}")
if observed != recorded or list(latest.values()) != ["3.5.0", "3.6.0"]:
    sys.exit(f"changed: recorded was {recorded}, 3.5.0 and 3.6.0")
print("as recorded: v3.6.0-nightly is the stable version 3.6.0")
PYTHON
