#!/usr/bin/env bash
# Checks deploy/kubernetes, with kubernetes-validate in a separate environment.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=.build/kubernetes-validate
if [ ! -x "$environment/bin/kubernetes-validate" ]; then
    python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check kubernetes-validate==1.37.0 PyYAML
fi
"$environment/bin/python" -B dev/check-kubernetes.py
