#!/usr/bin/env bash
#
# Optimizely: with a rule on 3.5, the pre-release 3.5.1-beta is lower than 3.5, but 3.5.1 and 3.6.0-beta are not.
#
# Expected:  a rule with two parts stands for all 3.5 versions: 3.5.0, 3.5.1 and 3.5.9 equal 3.5. Then 3.5.1-beta
#            equals 3.5 as well, or is at least not lower.
# Observed:  each 3.5 version with a hyphen is lower than 3.5, even 3.5.9-rc.1. If the parts of the rule are equal,
#            any pre-release is older, whatever its third part is. With a rule on 3.5.0, the same versions are
#            greater. A build after a plus sign makes no difference.
# Impact:    a rule "update required below 3.5" refuses the current test builds and all builds with a suffix such as
#            -staging, but allows 3.6.0-beta. The released versions are not affected.
#
# Software:  optimizely-sdk 5.7.0 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check optimizely-sdk==5.7.0

cd "$work"
"$work/venv/bin/python" - <<'PYTHON'
import json
import sys
from importlib.metadata import version

from optimizely.optimizely import Optimizely

print("optimizely-sdk", version("optimizely-sdk"))
OPERATORS = ["semver_lt", "semver_eq", "semver_gt"]


def flags(minimum):
    """A datafile with one flag for each operator."""
    audiences, features, rollouts = [], [], []
    for operator in OPERATORS:
        condition = {"type": "custom_attribute", "name": "appVersion", "match": operator, "value": minimum}
        audiences.append({"id": operator, "name": operator, "conditions": ["and", ["or", ["or", condition]]]})
        features.append({"id": operator, "key": operator, "rolloutId": operator, "experimentIds": [],
                         "variables": []})
        variation = {"id": "on-" + operator, "key": "on", "featureEnabled": True, "variables": []}
        rule = {"id": "rule-" + operator, "key": "rule-" + operator, "layerId": operator, "status": "Running",
                "audienceIds": [operator], "forcedVariations": {}, "variations": [variation],
                "trafficAllocation": [{"entityId": variation["id"], "endOfRange": 10000}]}
        rollouts.append({"id": operator, "experiments": [rule]})
    return json.dumps({
        "version": "4", "projectId": "1", "accountId": "1", "revision": "1", "anonymizeIP": True,
        "botFiltering": False, "attributes": [{"id": "1", "key": "appVersion"}], "events": [], "experiments": [],
        "groups": [], "variables": [], "audiences": [], "typedAudiences": audiences, "featureFlags": features,
        "rollouts": rollouts,
    })


lower, equal, greater = [[operator] for operator in OPERATORS]
recorded = {
    "3.5": {
        "3.4.9": lower, "3.4.9-beta": lower, "3.5.0": equal, "3.5.1": equal, "3.5.9": equal, "3.5.1+93": equal,
        "3.5.1-beta": lower, "3.5.9-rc.1": lower, "3.5.1-staging": lower,
        "3.6.0": greater, "3.6.0-beta": greater,
    },
    "3.5.0": {
        "3.4.9": lower, "3.5.0": equal, "3.5.1": greater,
        "3.5.1-beta": greater, "3.5.9-rc.1": greater, "3.5.1-staging": greater,
    },
}
observed = {}
for minimum, versions in recorded.items():
    client = Optimizely(datafile=flags(minimum))
    observed[minimum] = {}
    for app in versions:
        user = client.create_user_context("user", {"appVersion": app})
        matches = [operator for operator in OPERATORS
                   if user.decide(operator, ["DISABLE_DECISION_EVENT"]).enabled]
        observed[minimum][app] = matches
        print(f"{app}, rules on {minimum} that match: {', '.join(matches) or 'none'}")
    client.close()
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: 3.5.1-beta is lower than 3.5")
PYTHON
