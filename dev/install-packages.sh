#!/usr/bin/env bash
# Installs the Debian packages that are missing for a purpose: `build`, `test` or `conformance`. Says so first, and
# does nothing if all are there. For `test` it also sees to a Python with grpcio, in `.build/python`.
set -euo pipefail

case "${1:-}" in
build) wanted=(curl libcurl4-openssl-dev) ;;
test) wanted=(curl libcurl4-openssl-dev openssl python3 python3-venv python3-yaml python3-jsonschema nodejs wrk nghttp2-client) ;;
conformance) wanted=(nginx haproxy caddy) ;;
*)
    echo "usage: $0 build|test|conformance" >&2
    exit 64
    ;;
esac

has_grpc() {
    "$1" -c 'import grpc' 2>/dev/null
}

# The tests of gRPC are skipped, and say so, where this cannot be had.
install_grpc() {
    local python=${VERSIONGATE_PYTHON:-.build/python/bin/python3}
    if has_grpc "$python" || has_grpc python3; then return 0; fi
    echo "installing: grpcio, into .build/python"
    if ! { python3 -m venv .build/python && .build/python/bin/pip install --quiet grpcio==1.85.1; }; then
        echo "grpcio could not be installed: the tests that need it are skipped" >&2
    fi
}

# A program that came some other way than by apt (Node, Python) serves as well.
is_there() {
    case "$1" in
    nginx | haproxy | caddy) PATH=$PATH:/usr/sbin command -v "$1" >/dev/null ;;
    curl | openssl | python3 | wrk) command -v "$1" >/dev/null ;;
    python3-venv) python3 -c 'import ensurepip' 2>/dev/null || has_grpc python3 ;;
    python3-yaml) python3 -c 'import yaml' 2>/dev/null ;;
    python3-jsonschema) python3 -c 'import jsonschema' 2>/dev/null ;;
    nodejs) command -v node >/dev/null || command -v nodejs >/dev/null ;;
    nghttp2-client) command -v h2load >/dev/null ;;
    *) dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed ;;
    esac
}

missing=()
for package in "${wanted[@]}"; do
    is_there "$package" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
    if [ "$1" = test ]; then install_grpc; fi
    exit 0
fi

root=()
[ "$(id -u)" -eq 0 ] || root=(sudo)
echo "installing: ${missing[*]}"
if [ "$1" = conformance ]; then
    # Daemons, which must not start as services.
    exec "${root[@]}" sh "$(dirname "$0")/../Benchmarks/install.sh" "${missing[@]}"
fi
"${root[@]}" apt-get update --quiet --quiet
"${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install --quiet --quiet --yes --no-install-recommends "${missing[@]}"
if [ "$1" = test ]; then install_grpc; fi
