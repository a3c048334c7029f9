#!/usr/bin/env bash
# Builds the npm package into a folder.
set -euo pipefail
mkdir -p "$1"
out=$(realpath "$1")
cd "$(dirname "$0")"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp package.json README.md CHANGELOG.md ../../LICENSE commonjs.js versiongate.js versiongate.d.ts "$work"
cd "$work"
npm pack --silent --offline --pack-destination "$out"
