#!/usr/bin/env bash
#
# fdroidserver: a computed versionCode in build.gradle is read as its first number.
#
# Expected:  for "versionCode 4 * 10000 + 12 * 100", there is no version code, or a warning, because
#            a regular expression cannot evaluate Gradle's language.
# Observed:  the version code is 4. In a file with a multi-line comment, the value in that
#            comment is used, because only comments that start with // are removed. A hexadecimal
#            value is 0.
# Impact:    computed codes are common in apps with one APK per CPU type. "fdroid checkupdates" and
#            scripts that use this function to find the current build get one that is far too low (a
#            floor below every client) or one that was never released (a floor above every client).
#
# Software:  fdroidserver 2.4.5 (PyPI)
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check fdroidserver==2.4.5

"$work/venv/bin/python" - "$work" <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path

from fdroidserver import common, metadata

print("fdroidserver", version("fdroidserver"))
app = metadata.App()
app.id = "com.example.app"
recorded = {
    "versionCode 41200": 41200,
    "versionCode = 41_200": 41200,
    "// versionCode 99999\n        versionCode 41200": 41200,
    "versionCode 4 * 10000 + 12 * 100": 4,
    "versionCode 0xA0F0": 0,
    "/* not released:\n        versionCode 99999 */\n        versionCode 41200": 99999,
}
observed = {}
for number, line in enumerate(recorded):
    script = Path(sys.argv[1], f"project{number}", "app", "build.gradle")
    script.parent.mkdir(parents=True)
    script.write_text(f"""\
android {{
    defaultConfig {{
        applicationId "com.example.app"
        {line}
        versionName "3.4.9"
    }}
}}
""")
    _, observed[line], _ = common.parse_androidmanifests([script], app)
    print(f"{line!r}: {observed[line]}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: versionCode 4 * 10000 + 12 * 100 is read as 4")
PYTHON
