#!/usr/bin/env bash
#
# amplitude-experiment: versions with build metadata are compared as text.
#
# Expected:  a rule "version greater or equal 3.10.0" does not match 3.9.0+1, which is a valid
#            semantic version, and does not match versions that cannot be parsed.
# Observed:  the rule matches 3.9.0+1, 3.9.0.1 and "3.9.0 (1)". The parser accepts neither build
#            metadata nor a fourth part, and evaluation then falls back to comparing texts,
#            in which "3.9…" is greater than "3.10…". Plain 3.9.0 is evaluated correctly.
# Impact:    clients that send version and build in Flutter's format (3.9.0+1) get the features
#            of 3.10.0, and a rule "version less 3.10.0" does not require them to update.
#
# Software:  amplitude-experiment 1.13.0 (PyPI), local evaluation
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check amplitude-experiment==1.13.0

"$work/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from amplitude_experiment.evaluation.engine import EvaluationEngine
from amplitude_experiment.evaluation.types import EvaluationFlag

print("amplitude-experiment", version("amplitude-experiment"))
flag = EvaluationFlag.from_dict({
    "key": "new-api",
    "variants": {"on": {"key": "on"}, "off": {"key": "off"}},
    "segments": [
        {
            "conditions": [[{
                "selector": ["context", "user", "version"],
                "op": "version greater or equal",
                "values": ["3.10.0"],
            }]],
            "variant": "on",
        },
        {"variant": "off"},
    ],
})
recorded = {
    "3.10.0": "on", "3.9.0": "off", "3.9": "off",
    "3.9.0+1": "on", "3.9.0.1": "on", "3.9.0 (1)": "on",
}
observed = {}
for client in recorded:
    result = EvaluationEngine().evaluate({"user": {"version": client}}, [flag])
    observed[client] = result["new-api"].key
    print(f"{client} version greater or equal 3.10.0: {observed[client]}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: 3.9.0+1 is at or above 3.10.0")
PYTHON
