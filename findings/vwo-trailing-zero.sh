#!/usr/bin/env bash
#
# VWO Feature Management: a rule on version 3.10 is a rule on 3.1, although versions are compared by parts.
#
# Expected:  "less than 3.10" compares versions, as "less than 3.9" and "less than 3.10.0" do: 3.9.0 is less
#            than 3.10, and 3.10 is not less than 3.9.
# Observed:  before the comparison, each of the two values that is a valid number is converted to a number and
#            back, so 3.10 becomes 3.1 and 3.20 becomes 3.2. The parts are compared afterwards: 3.9.0 is not
#            less than "3.10", and a client that sends 3.10 is less than 3.9. There is no error or warning.
# Impact:    a rule "force an update below 3.10" admits 3.1.0 to 3.9.9. It works with each minimum from 3.1 to
#            3.9, and fails with the first one that ends in a zero. Current clients that send two parts (3.10)
#            are required to update by "less than 3.9".
#
# Software:  vwo-fme-python-sdk 1.65.0 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check vwo-fme-python-sdk==1.65.0

"$work/venv/bin/python" - <<'PYTHON'
import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

from wingify import init

rule = None


class Service(BaseHTTPRequestHandler):
    """Returns the settings of a flag that is on for the versions that match `rule`, and ignores events."""

    def do_GET(self):
        variation = {
            "id": 1, "name": "On", "weight": 100, "variables": [],
            "segments": {"and": [{"custom_variable": {"app_version": rule}}]},
        }
        campaign = {
            "id": 1, "key": "old", "name": "Old versions", "type": "FLAG_ROLLOUT", "status": "RUNNING",
            "percentTraffic": 100, "segments": {}, "variations": [variation],
        }
        flag = {
            "id": 1, "key": "force-update", "name": "Force update", "type": "FEATURE_FLAG", "status": "ON",
            "metrics": [], "variables": [], "impactCampaign": {},
            "rules": [{"type": "FLAG_ROLLOUT", "ruleKey": "old", "campaignId": 1, "variationId": 1}],
        }
        self.reply({
            "sdkKey": "key", "accountId": 1, "version": 1, "collectionPrefix": "", "groups": {},
            "campaignGroups": {}, "campaigns": [campaign], "features": [flag]})

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.reply({})

    def reply(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


service = ThreadingHTTPServer(("127.0.0.1", 0), Service)
threading.Thread(target=service.serve_forever, daemon=True).start()

print("vwo-fme-python-sdk", version("vwo-fme-python-sdk"))
recorded = {
    "lt(3.9)": {"3.4.9": True, "3.9.0": False, "3.10.0": False, "3.10": True},
    "lt(3.10.0)": {"3.4.9": True, "3.9.0": True, "3.10.0": False},
    "lt(3.10)": {"3.4.9": False, "3.9.0": False, "3.10.0": False, "3.0.9": True},
    "gte(3.20)": {"3.4.9": True, "3.20.0": True},
}
observed = {}
for rule in recorded:
    client = init({
        "sdk_key": "key", "account_id": "1", "proxy_url": f"http://127.0.0.1:{service.server_port}",
        "logger": {"level": "ERROR"}})
    observed[rule] = {}
    for app in recorded[rule]:
        flag = client.get_flag("force-update", {"id": "user", "custom_variables": {"app_version": app}})
        observed[rule][app] = flag.is_enabled()
        print(f"{app} {rule}: {observed[rule][app]}")
if observed == recorded:
    print("as recorded: 3.4.9 and 3.9.0 are not less than 3.10", flush=True)
else:
    print(f"changed: recorded was {recorded}", file=sys.stderr, flush=True)
os._exit(observed != recorded)  # Threads of the SDK that send events would keep the process alive.
PYTHON
