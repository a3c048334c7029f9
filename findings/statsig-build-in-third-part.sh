#!/usr/bin/env bash
#
# Statsig: 3.5.1+93 matches no rule on 3.5.0, neither "less" nor "at least" nor "not equal", but 3.4.9+93 does.
#
# Expected:  either the build in 3.5.1+93 is ignored, as in Semantic Versioning, or each version with a build is
#            invalid for all rules.
# Observed:  a version with a build, as +93 or as " (93)", works if its first or second number decides:
#            3.4.9+93 is less than 3.5.0, and 3.6.0+93 is not. If the first two numbers are equal, the third part
#            is not a number, and no operator matches, not even "not equal". A suffix after a hyphen, such as
#            -beta.1, is ignored.
# Impact:    for a rule "at least 3.5.0", tests with 3.4.9+93 and 3.6.0+93 succeed, but all 3.5 versions, which
#            have just been released, count as too old. A rule "less than" and one "at least" leave them without
#            a result.
# Guess:     3.5.1+93 is at least 3.5.0.
#
# Software:  statsig-python-core 0.24.2 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check statsig-python-core==0.24.2

cd "$work"
"$work/venv/bin/python" - <<'PYTHON'
import http.server
import json
import sys
import threading
from importlib.metadata import version

from statsig_python_core import Statsig, StatsigOptions, StatsigUser

print("statsig-python-core", version("statsig-python-core"))
OPERATORS = ["version_lt", "version_lte", "version_gt", "version_gte", "version_eq", "version_neq"]


def condition(operator):
    return {"type": "user_field", "field": "appVersion", "operator": operator, "targetValue": "3.5.0",
            "additionalValues": {}, "isDeviceBased": False, "idType": "userID"}


def gate(operator):
    rule = {"id": operator, "name": operator, "groupName": operator, "conditions": [operator],
            "passPercentage": 100, "returnValue": True, "salt": "salt", "isDeviceBased": False,
            "idType": "userID"}
    return {"type": "feature_gate", "entity": "feature_gate", "salt": "salt", "enabled": True,
            "defaultValue": False, "idType": "userID", "version": 1, "targetAppIDs": [], "rules": [rule]}


SPECIFICATION = json.dumps({
    "feature_gates": {operator: gate(operator) for operator in OPERATORS},
    "condition_map": {operator: condition(operator) for operator in OPERATORS},
    "dynamic_configs": {}, "layer_configs": {}, "layers": {}, "param_stores": {}, "id_lists": {},
    "experiment_to_layer": {}, "sdk_configs": {}, "sdk_keys_to_app_ids": {}, "diagnostics": {},
    "hashed_sdk_keys_to_app_ids": {}, "default_environment": "production", "app_id": "app",
    "company_id": "company", "response_format": "dcs-v2", "has_updates": True, "time": 1790000000000,
}).encode()


class Service(http.server.BaseHTTPRequestHandler):
    """Serves the gates, and accepts events."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(SPECIFICATION)))
        self.end_headers()
        self.wfile.write(SPECIFICATION)

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(202)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
service.daemon_threads = True
threading.Thread(target=service.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{service.server_port}"
client = Statsig("secret-test", StatsigOptions(
    specs_url=address + "/v2/download_config_specs", log_event_url=address + "/events",
    enable_id_lists=False, disable_country_lookup=True, disable_all_logging=True,
    disable_disk_access=True, output_log_level="none"))
client.initialize().wait()

less = {"version_lt", "version_lte", "version_neq"}
greater = {"version_gt", "version_gte", "version_neq"}
equal = {"version_lte", "version_gte", "version_eq"}
# Version: the operators that match with 3.5.0.
recorded = {
    "3.4.9": less, "3.5.0": equal, "3.5.1": greater, "3.6.0": greater,
    "3.4.9+93": less, "3.5.0+93": set(), "3.5.1+93": set(), "3.6.0+93": greater, "3.10.2+93": greater,
    "3.4.9 (93)": less, "3.5.1 (93)": set(), "3.6.0 (93)": greater,
    "3.5.1-beta.1": greater,
}
observed = {}
for app in recorded:
    user = StatsigUser("user", app_version=app)
    observed[app] = {operator for operator in OPERATORS if client.check_gate(user, operator)}
    print(f"{app}, rules on 3.5.0 that match: {', '.join(sorted(observed[app])) or 'none'}")
client.shutdown().wait()
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: 3.5.1+93 matches no rule on 3.5.0")
PYTHON
