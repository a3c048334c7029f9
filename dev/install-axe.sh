#!/usr/bin/env bash
# Fetches axe-core from PyPI into .build/axe, if there is a browser for the tests of the page. Where it cannot be had, the
# page is tested without it.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.1.0
hash=f99f6bd674726c631c5e20b876983b44dff2b8f452a0ccf08f3c23ee45d0aac3
[ ! -e .build/axe/axe_core_python/axe.min.js ] || exit 0
command -v chromium >/dev/null || exit 0

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo "axe-core-python==$version --hash=sha256:$hash" >"$folder/wanted.txt"
echo "fetching axe-core-python $version"
mkdir -p .build
python3 -m venv "$folder/tools" \
    && "$folder/tools/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes \
        --requirement "$folder/wanted.txt" --target .build/axe \
    || echo "axe-core cannot be had: the page is tested without it" >&2
