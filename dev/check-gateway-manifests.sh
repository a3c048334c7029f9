#!/usr/bin/env bash
# Checks the manifests in docs/gateways, with the schemas in PyPI packages that are installed into a separate environment.
# --crds FOLDER adds files with CustomResourceDefinitions, for kinds whose schemas no package contains.
set -euo pipefail
cd "$(dirname "$0")/.."
dev/install-python.sh dev/gateway-manifests.txt .build/gateway-manifests
.build/gateway-manifests/bin/python3 -B dev/check-gateway-manifests.py "$@"
