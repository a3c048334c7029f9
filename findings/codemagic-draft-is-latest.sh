#!/usr/bin/env bash
#
# codemagic-cli-tools: the latest build number of a Google Play track can be that of a draft.
#
# Expected:  "google-play get-latest-build-number --tracks production" reports the newest build that
#            users can install from that track.
# Observed:  it is the largest version code of all releases in the track, regardless of their status: a
#            draft, which was never published, and a halted rollout count like a completed release.
# Impact:    a pipeline that sets the floor to the latest build number denies every client while a
#            release is being prepared, and a halted build, which was withdrawn for a reason, becomes the
#            minimum.
#
# Software:  codemagic-cli-tools 0.70.0 (PyPI)
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check codemagic-cli-tools==0.70.0

"$work/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from codemagic.google.resources.google_play import Track
from codemagic.tools.google_play import GooglePlay

print("codemagic-cli-tools", version("codemagic-cli-tools"))
completed = {"name": "3.4.9", "versionCodes": ["41200"], "status": "completed"}
recorded = {"completed": 41200, "inProgress": 41300, "halted": 41300, "draft": 41300}
observed = {"completed": GooglePlay.get_max_version_code(
    Track(track="production", releases=[completed]))}
print("41200 completed:", observed["completed"])
for status in ("inProgress", "halted", "draft"):
    # A release of edits.tracks in the Google Play Developer API; a draft has no userFraction.
    release = {"name": "3.5.0", "versionCodes": ["41300"], "status": status}
    if status != "draft":
        release["userFraction"] = 0.01
    track = Track(track="production", releases=[release, completed])
    observed[status] = GooglePlay.get_max_version_code(track)
    print(f"41200 completed, 41300 {status}: {observed[status]}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: the draft 41300 is the latest build number")
PYTHON
