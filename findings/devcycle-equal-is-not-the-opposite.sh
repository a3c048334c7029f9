#!/usr/bin/env bash
#
# DevCycle: a version can be neither "is" nor "is not" the one of a rule, or both.
#
# Expected:  "is not 3.5.0" is the opposite of "is 3.5.0", and a version that is both at least and at most 3.5.0
#            is 3.5.0.
# Observed:  3.5 is neither "is 3.5.0" nor "is not 3.5.0", although it is at least and at most 3.5.0. For a rule
#            with a pre-release, 3.5.0-beta.1 is both "is 3.5.0-beta.1" and "is not 3.5.0-beta.1", and neither at
#            least nor at most itself. "is" seems to compare text, and "is not" numbers. For rules with 3.5.0 and
#            clients with three numbers, all is as expected.
# Impact:    with two rules, the new message for 3.5.0 and the old one for all other versions, clients that report
#            3.5.0 as 3.5 get none. A rule that blocks everything except one beta version blocks that one, too.
# Guess:     3.5 is not 3.5.0, and 3.5.0-beta.1 is 3.5.0-beta.1, so exactly one of the two matches.
#
# Software:  devcycle-python-server-sdk 3.14.0, wasmtime 30.0.0 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check \
    devcycle-python-server-sdk==3.14.0 wasmtime==30.0.0

"$work/venv/bin/python" - <<'PYTHON'
import http.server
import json
import logging
import sys
import threading
import time
from importlib.metadata import version

from devcycle_python_sdk import DevCycleLocalClient, DevCycleLocalOptions
from devcycle_python_sdk.models.user import DevCycleUser

logging.disable(logging.CRITICAL)
print("devcycle-python-server-sdk", version("devcycle-python-server-sdk"))


def identifier(number):
    return f"{number:024x}"


def feature(number, comparator, target):
    """A feature with one variable, which is true for the versions that match."""
    rule = {"type": "user", "subType": "appVersion", "comparator": comparator, "values": [target]}
    audience = {"_id": identifier(number), "filters": {"operator": "and", "filters": [rule]}}
    variation = identifier(number + 100)
    return {
        "_id": identifier(number + 200), "key": f"feature-{number}", "type": "release",
        "configuration": {"_id": identifier(number + 300), "forcedUsers": {}, "targets": [{
            "_id": identifier(number + 400), "_audience": audience,
            "distribution": [{"_variation": variation, "percentage": 1}],
        }]},
        "variations": [{"_id": variation, "name": "on", "key": "on",
                        "variables": [{"_var": identifier(number + 500), "value": True}]}],
    }


RULES = [(comparator, target) for target in ("3.5.0", "3.5.0-beta.1")
         for comparator in ("=", "!=", "<=", ">=")]
names = [f"variable-{number}" for number in range(len(RULES))]
CONFIGURATION = json.dumps({
    "project": {
        "_id": identifier(1000), "key": "project", "a0_organization": "organization",
        "settings": {"edgeDB": {"enabled": False}, "optIn": {
            "enabled": False, "title": "", "description": "", "imageURL": "",
            "colors": {"primary": "#000000", "secondary": "#000000"}}},
    },
    "environment": {"_id": identifier(1001), "key": "test"},
    "features": [feature(number, *rule) for number, rule in enumerate(RULES)],
    "variables": [{"_id": identifier(number + 500), "type": "Boolean", "key": name}
                  for number, name in enumerate(names)],
    "variableHashes": {name: number for number, name in enumerate(names)},
    "audiences": {},
}).encode()


class Service(http.server.BaseHTTPRequestHandler):
    """Serves the configuration, and accepts events."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("ETag", '"1"')
        self.send_header("Content-Length", str(len(CONFIGURATION)))
        self.end_headers()
        self.wfile.write(CONFIGURATION)

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(201)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
service.daemon_threads = True
threading.Thread(target=service.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{service.server_port}/"
client = DevCycleLocalClient("dvc_server_test", DevCycleLocalOptions(
    config_cdn_uri=address, events_api_uri=address, disable_realtime_updates=True))
for _ in range(100):
    if client.is_initialized():
        break
    time.sleep(0.1)

# Target and version: whether the version is, is not, is at most and is at least the target.
recorded = {
    ("3.5.0", "3.4.9"): (False, True, True, False),
    ("3.5.0", "3.5.0"): (True, False, True, True),
    ("3.5.0", "3.10.0"): (False, True, False, True),
    ("3.5.0", "3.5"): (False, False, True, True),
    ("3.5.0-beta.1", "3.4.9"): (False, True, True, False),
    ("3.5.0-beta.1", "3.5.0-beta.1"): (True, True, False, False),
}
observed = {}
for target, app in recorded:
    user = DevCycleUser(user_id="user", appVersion=app)
    observed[target, app] = tuple(
        client.variable_value(user, names[RULES.index((comparator, target))], False)
        for comparator in ("=", "!=", "<=", ">="))
    print(f"target {target}, version {app}: is {observed[target, app][0]}, is not {observed[target, app][1]}, "
          f"<= {observed[target, app][2]}, >= {observed[target, app][3]}")
client.close()
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: 3.5 is neither 3.5.0 nor not 3.5.0")
PYTHON
