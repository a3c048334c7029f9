#!/usr/bin/env bash
#
# AB Tasty Flagship: in bucketing mode, a rule with the text "3.5", "3" or "93" matches no visitor.
#
# Expected:  the text "3.5" in a rule compares like the text "3.5.0": with EQUALS, it matches the app version 3.5.
# Observed:  the rule matches no version at all, with any operator, even NOT_EQUALS. The SDK first tries to read the
#            text as JSON. "3.5" is valid JSON (a number), so the SDK tries to use it as a list, fails, and treats
#            the rule as not met. "3.5.0" is not valid JSON. The list ["3.5"] and the number 93 work.
# Impact:    a campaign that blocks the withdrawn version 3.5, all versions that start with "3", or the build "93"
#            blocks nobody. A rule with two versions is a list, and works.
# Guess:     "3.5" and "3.5.0" compare in the same way, as text.
#
# Software:  flagship 3.0.1 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check flagship==3.0.1

cd "$work"
"$work/venv/bin/python" - <<'PYTHON'
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

from flagship import Flagship, http_helper
from flagship.config import Bucketing
from flagship.log_manager import LogLevel
from flagship.status import Status

print("flagship", version("flagship"))
VERSION = "sdk_versionName"     # the SDK's own key for the version of the app, a text
rules = [
    (VERSION, "EQUALS", "3.5.0"), (VERSION, "EQUALS", "3.5"), (VERSION, "EQUALS", ["3.5"]),
    (VERSION, "NOT_EQUALS", "3.5.0"), (VERSION, "NOT_EQUALS", "3.5"), (VERSION, "NOT_EQUALS", ["3.5"]),
    (VERSION, "STARTS_WITH", "3."), (VERSION, "STARTS_WITH", "3"), (VERSION, "STARTS_WITH", ["3", "2"]),
    ("build", "EQUALS", "93"), ("build", "EQUALS", ["93"]), ("buildNumber", "LOWER_THAN", 93),
]
names = [f"{key} {operator} {json.dumps(value)}" for key, operator, value in rules]
campaigns = []
for number, (key, operator, value) in enumerate(rules):
    targeting = {"targetingGroups": [{"targetings": [{"key": key, "operator": operator, "value": value}]}]}
    variation = {"id": f"variation{number}", "reference": False, "allocation": 100,
                 "modifications": {"type": "FLAG", "value": {f"rule{number}": True}}}
    group = {"id": f"group{number}", "targeting": targeting, "variations": [variation]}
    campaigns.append({"id": f"campaign{number}", "type": "toggle", "variationGroups": [group]})


class Cloud(BaseHTTPRequestHandler):
    """The part of the Flagship cloud that the SDK needs: the file with all campaigns."""

    def do_GET(self):
        body = json.dumps({"panic": False, "campaigns": campaigns}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Last-Modified", "Mon, 30 Nov 2026 12:00:00 GMT")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Cloud)
threading.Thread(target=server.serve_forever, daemon=True).start()
base = f"http://127.0.0.1:{server.server_port}/"
http_helper.URL_BUCKETING = base + "{}/bucketing.json"
http_helper.URL_TRACKING = http_helper.URL_ACTIVATE = base

Flagship.start("environment", "key", Bucketing(polling_interval=3_600_000, log_level=LogLevel.NONE))
deadline = time.monotonic() + 30
while Flagship.status() is not Status.READY:
    if time.monotonic() > deadline:
        sys.exit(f"the SDK is not ready: {Flagship.status()}")
    time.sleep(0.1)

recorded = {
    "3.4.9, build 92": [
        'sdk_versionName NOT_EQUALS "3.5.0"', 'sdk_versionName NOT_EQUALS ["3.5"]',
        'sdk_versionName STARTS_WITH "3."', 'sdk_versionName STARTS_WITH ["3", "2"]', "buildNumber LOWER_THAN 93",
    ],
    "3.5, build 93": [
        'sdk_versionName EQUALS ["3.5"]', 'sdk_versionName NOT_EQUALS "3.5.0"',
        'sdk_versionName STARTS_WITH "3."', 'sdk_versionName STARTS_WITH ["3", "2"]', 'build EQUALS ["93"]',
    ],
    "3.5.0, build 93": [
        'sdk_versionName EQUALS "3.5.0"', 'sdk_versionName NOT_EQUALS ["3.5"]',
        'sdk_versionName STARTS_WITH "3."', 'sdk_versionName STARTS_WITH ["3", "2"]', 'build EQUALS ["93"]',
    ],
}
observed = {}
for app in recorded:
    name, build = app.split(", build ")
    visitor = Flagship.new_visitor(
        "visitor", consent=False, context={VERSION: name, "build": build, "buildNumber": int(build)})
    visitor.fetch_flags()
    observed[app] = [names[number] for number in range(len(rules))
                     if visitor.get_flag(f"rule{number}", False).value(False)]
    print(f"{app}: rules that match:")
    for match in observed[app]:
        print(f"  {match}")
print("rules that match no app:")
for name in names:
    if not any(name in matches for matches in observed.values()):
        print(f"  {name}")
Flagship.stop()
server.shutdown()
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print('as recorded: "3.5", "3" and "93" match no app')
PYTHON
