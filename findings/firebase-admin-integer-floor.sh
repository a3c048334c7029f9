#!/usr/bin/env bash
#
# firebase-admin: get_int() of a Remote Config number with a decimal point is 0.
#
# Expected:  get_int("min_build") returns 41200 for a parameter of the type NUMBER with the value
#            "41200.0", or raises an error.
# Observed:  the result is 0, without an error or a log message. get_float() for the same parameter
#            is 41200.0, and the source of the value is "remote", so it does not look like a
#            default.
# Impact:    a script that writes the floor as a floating-point number (41200.0, 4.12e4) sets it to
#            build 0. All builds then pass, without an error.
#
# Software:  firebase-admin 7.7.0 (PyPI)
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check firebase-admin==7.7.0

"$work/venv/bin/python" - <<'PYTHON'
import json
import sys
from importlib.metadata import version

import firebase_admin
from firebase_admin import credentials, remote_config
from google.auth.credentials import AnonymousCredentials


class NoCredentials(credentials.Base):
    def get_credential(self):
        return AnonymousCredentials()


print("firebase-admin", version("firebase-admin"))
app = firebase_admin.initialize_app(NoCredentials(), {"projectId": "demo"})
recorded = {
    "41200": (41200, 41200.0, "remote"),
    "41200.0": (0, 41200.0, "remote"),
    "4.12e4": (0, 41200.0, "remote"),
}
observed = {}
for value in recorded:
    template = {
        "parameters": {"min_build": {"defaultValue": {"value": value}, "valueType": "NUMBER"}},
        "conditions": [],
        "etag": "etag-1",
        "version": {"versionNumber": "1"},
    }
    config = remote_config.init_server_template(
        app=app, template_data_json=json.dumps(template)
    ).evaluate()
    observed[value] = (
        config.get_int("min_build"),
        config.get_float("min_build"),
        config.get_value_source("min_build"),
    )
    print(f"{value!r}: get_int, get_float, source = {observed[value]}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: the floor 41200.0 is read as 0")
PYTHON
