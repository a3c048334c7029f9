#!/usr/bin/env bash
# Creates .build/python, a virtual environment with the packages in dev/python-requirements.txt, using the first suitable
# python3 in PATH: another one may precede Debian's. If it exists, nothing is done. You can pass other requirements and
# another folder as arguments.
set -euo pipefail
cd "$(dirname "$0")/.."

wanted=${1:-dev/python-requirements.txt}
folder=${2:-.build/python}
# The requirements are copied last, so that an incomplete environment is created again.
if cmp -s "$wanted" "$folder/requirements.txt" && "$folder/bin/python3" -m pip --version >/dev/null 2>&1; then exit 0; fi

mkdir -p .build
for python in $(type -ap python3); do
    "$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
    echo "installing $wanted into $folder with $python"
    rm -rf "$folder"
    "$python" -m venv "$folder" || continue
    "$folder/bin/python3" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
        --require-hashes --requirement "$wanted" || continue
    cp "$wanted" "$folder/requirements.txt"
    exit 0
done
echo "$folder cannot be made: no python3 of 3.11 or later here has venv and can install $wanted" >&2
exit 1
