#!/usr/bin/env bash
#
# GO Feature Flag: a version in quotes is compared as text, and one without quotes as a version.
#
# Expected:  version lt "3.5.0" in a targeting rule compares like version lt 3.5.0.
# Observed:  with quotes, 3.10.0 is less than 3.5.0, because the values compare as text, and "1" is less
#            than "5". Both rules are valid, and agree while the parts of all versions have one digit.
#            Without quotes, only versions of exactly three parts match.
# Impact:    a rule that forces an update below 3.5.0 works for years, and then blocks 3.10.0, the newest
#            release. The quotes look right, because other strings need them (platform eq "ios").
# Guess:     both compare versions; seen: only the one without quotes.
#
# Software:  gofeatureflag-python-provider 1.3.0, with the evaluation module 0.2.4 inside (PyPI)
# Observed on: 2026-11-29
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check gofeatureflag-python-provider==1.3.0

"$work/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from gofeatureflag_python_provider.wasm.evaluate_wasm import EvaluateWasm
from gofeatureflag_python_provider.wasm.model import WasmFlagContext, WasmInput

evaluator = EvaluateWasm(pool_size=1)
evaluator.initialize()


def evaluate(query, client):
    flag = {
        "variations": {"on": True, "off": False},
        "targeting": [{"query": query, "variation": "on"}],
        "defaultRule": {"variation": "off"},
    }
    response = evaluator.evaluate(WasmInput(
        flagKey="force-update", flag=flag, flagContext=WasmFlagContext(defaultSdkValue=False),
        evalContext={"targetingKey": "user", "platform": "ios", "version": client}))
    if response.errorCode:
        sys.exit(f"{query}: {response.errorCode} {response.errorDetails}")
    return response.value


print("gofeatureflag-python-provider", version("gofeatureflag-python-provider"))
quoted = 'platform eq "ios" and version lt "3.5.0"'
unquoted = 'platform eq "ios" and version lt 3.5.0'
recorded = {
    (quoted, "3.4.9"): True, (quoted, "3.5.0"): False, (quoted, "3.9.0"): False,
    (quoted, "3.10.0"): True, (quoted, "3.4"): True, (quoted, "3.4.9.1"): True,
    (unquoted, "3.4.9"): True, (unquoted, "3.5.0"): False, (unquoted, "3.9.0"): False,
    (unquoted, "3.10.0"): False, (unquoted, "3.4"): False, (unquoted, "3.4.9.1"): False,
}
observed = {}
for query, client in recorded:
    observed[query, client] = evaluate(query, client)
    print(f"{client}: {query}: {observed[query, client]}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print('as recorded: 3.10.0 is less than "3.5.0", and not less than 3.5.0')
PYTHON
