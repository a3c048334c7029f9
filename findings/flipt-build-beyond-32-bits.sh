#!/usr/bin/env bash
#
# Flipt: in the client, a constraint of the type "number" never matches a build above 2147483647.
#
# Expected:  the constraint compares numbers of any size. The documentation says "integer or float".
# Observed:  the client reads the value and the constraint as integers of 32 bits. If one of them is larger or has a
#            fraction, no comparison matches: 2611300713 is neither below nor at or above 93, neither equal nor not
#            equal to it. There is no error. "Is present" does match.
# Impact:    an iOS build can be a date and a counter, such as 2611300713. With "update required: build below
#            2611300713", every old build passes. With "supported: build at or above 93", the first build above
#            2147483647 is refused, and all later builds.
# Guess:     the client compares 2611300713 and 93.5 as numbers.
#
# Software:  flipt-client 1.4.5 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check flipt-client==1.4.5

cd "$work"
"$work/venv/bin/python" - <<'PYTHON'
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

from flipt_client import FliptClient
from flipt_client.models import ClientOptions

print("flipt-client", version("flipt-client"))
OPERATORS = ["lt", "lte", "eq", "neq", "gte", "gt", "present"]


def flag(operator, value):
    """A flag that is on for clients whose build matches one constraint."""
    constraint = {"id": "1", "type": "NUMBER_CONSTRAINT_COMPARISON_TYPE", "property": "build",
                  "operator": operator, "value": value}
    segment = {"key": "builds", "matchType": "ALL_SEGMENT_MATCH_TYPE", "constraints": [constraint]}
    rollout = {"type": "SEGMENT_ROLLOUT_TYPE", "rank": 1,
               "segment": {"value": True, "segmentOperator": "OR_SEGMENT_OPERATOR", "segments": [segment]}}
    key = operator + " " + value
    return {"key": key, "name": key, "description": "", "type": "BOOLEAN_FLAG_TYPE", "enabled": False,
            "rules": [], "rollouts": [rollout]}


below, equal, above = (["lt", "lte", "neq", "present"], ["lte", "eq", "gte", "present"],
                       ["neq", "gte", "gt", "present"])
only_present = ["present"]
recorded = {
    "93": {
        "92": below, "93": equal, "100": above, "2147483647": above,
        "2147483648": only_present, "2611300713": only_present, "92.5": only_present, "93.5": only_present,
    },
    "2611300713": {
        "93": only_present, "2611300712": only_present, "2611300713": only_present, "2611300714": only_present,
    },
}


class Flipt(BaseHTTPRequestHandler):
    """The part of a Flipt server that the client needs: the state of all flags."""

    def do_GET(self):
        flags = [flag(operator, value) for value in recorded for operator in OPERATORS]
        body = json.dumps({"namespace": {"key": "default"}, "flags": flags}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Flipt)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = FliptClient(opts=ClientOptions(url=f"http://127.0.0.1:{server.server_port}"))
observed = {}
for value, builds in recorded.items():
    observed[value] = {}
    for build in builds:
        matches = [operator for operator in OPERATORS
                   if client.evaluate_boolean(operator + " " + value, "user", {"build": build}).enabled]
        observed[value][build] = matches
        print(f"build {build}, constraints on {value} that match: {', '.join(matches)}")
client.close()
server.shutdown()
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: no comparison matches 2611300713")
PYTHON
