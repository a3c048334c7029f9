#!/usr/bin/env bash
#
# Eppo SDK: a rule with a version of two parts compares numbers: 3.10 is less than 3.9, and 3.4.9 is not.
#
# Expected:  the operators compare versions, as they do with 3.9.0. For a rule "version < 3.9", 3.4.9 is
#            older, and 3.10 is newer.
# Observed:  "3.9" is not a semantic version but a valid number, so the rule compares numbers: 3.10 is less
#            than 3.9, and 3.4.9, which is not a number, does not match. There is no error or warning.
# Impact:    a rule "force an update below 3.9" has the opposite effect: it blocks 3.10, the newest
#            release, and admits 3.4.9. A rule with 3.9.0 does not match clients that send two parts,
#            such as 3.5.
#
# Software:  eppo-server-sdk 4.4.1 (PyPI)
# Observed on: 2026-11-29
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check eppo-server-sdk==4.4.1

"$work/venv/bin/python" - <<'PYTHON'
import json
import sys
from importlib.metadata import version

import eppo_client
from eppo_client import Configuration
from eppo_client.assignment_logger import AssignmentLogger
from eppo_client.config import Config


def configuration(minimum):
    """Returns the configuration with a flag that is true for versions less than `minimum`."""
    flag = {
        "key": "force-update", "enabled": True, "variationType": "BOOLEAN", "totalShards": 10000,
        "variations": {"on": {"key": "on", "value": True}},
        "allocations": [{
            "key": "old", "doLog": False, "splits": [{"variationKey": "on", "shards": []}],
            "rules": [{"conditions": [{"attribute": "version", "operator": "LT", "value": minimum}]}],
        }],
    }
    return Configuration(flags_configuration=json.dumps({
        "createdAt": "2026-11-29T00:00:00.000Z", "format": "SERVER", "environment": {"name": "Test"},
        "flags": {"force-update": flag}, "bandits": {}, "banditReferences": {}}).encode())


print("eppo-server-sdk", version("eppo-server-sdk"))
# The client does not ask a server: without an interval, it keeps the configuration that it is given.
client = eppo_client.init(Config(
    api_key="key", base_url="http://127.0.0.1:1", assignment_logger=AssignmentLogger(),
    initial_configuration=configuration("3.9.0"), poll_interval_seconds=None))
recorded = {
    ("3.4.9", "3.9.0"): True, ("3.9.0", "3.9.0"): False, ("3.10.0", "3.9.0"): False,
    ("3.5", "3.9.0"): False,
    ("3.5", "3.9"): True, ("3.10", "3.9"): True, ("3.4.9", "3.9"): False, ("3.10.0", "3.9"): False,
}
observed = {}
for app, minimum in recorded:
    client.set_configuration(configuration(minimum))
    observed[app, minimum] = client.get_boolean_assignment("force-update", "user", {"version": app}, False)
    print(f"{app} < {minimum}: {observed[app, minimum]}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: 3.10 is less than 3.9, and 3.4.9 is not")
PYTHON
