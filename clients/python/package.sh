#!/usr/bin/env bash
# Builds the sdist into a folder, and the wheel from the sdist, with the Python of dev/install-python.sh and
# clients/python/build-requirements.txt.
set -euo pipefail
mkdir -p "$1"
out=$(realpath "$1")
cd "$(dirname "$0")"
python=$(realpath --no-symlinks ../../.build/packaging/bin/python3)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/versiongate"
cp pyproject.toml MANIFEST.in README.md CHANGELOG.md ../../LICENSE "$work"
cp versiongate/*.py versiongate/py.typed "$work/versiongate"
cd "$work"
# The time in the wheel, which is then the same in each build.
SOURCE_DATE_EPOCH=315532800 "$python" -m build --no-isolation --outdir "$out" . >log 2>&1 || { cat log >&2; exit 1; }
