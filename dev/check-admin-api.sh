#!/usr/bin/env bash
# Runs Schemathesis against the admin listener of the gate at $1 (default: the debug build). It generates valid and invalid
# requests from the OpenAPI document: no response may be a 5xx due to a bug, or contradict the document. Schemathesis is
# installed from PyPI into .build/schemathesis.
set -euo pipefail
cd "$(dirname "$0")/.."

gate=$(realpath "${1:-.build/debug/versiongate}")
version=4.32.5
tools=$PWD/.build/schemathesis
[ -x "$tools/bin/pip" ] || python3 -m venv "$tools"
[ "$("$tools/bin/schemathesis" --version 2>/dev/null)" = "schemathesis, version $version" ] \
    || "$tools/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$version"

folder=$(mktemp -d)
port=${PORT:-19426}
cat >"$folder/rules.yaml" <<'RULES'
identity:
  headers: { country: CF-IPCountry }
rules:
  - id: shop
    match: { platform: ios }
    minimum: "3.5.0"
    storeUrl: https://apps.apple.com/app/id1234567890
    next:
      - { minimum: "9.0", enforceFrom: 2999-01-01T00:00:00Z }
RULES
echo "night 0123456789abcdef" >"$folder/tokens"
# The backend's responses do not matter here.
"$gate" serve --listen 127.0.0.1:0 --upstream http://127.0.0.1:9 --rules "$folder/rules.yaml" \
    --state-dir "$folder/state" --admin-listen "0.0.0.0:$port" --admin-token-file "$folder/tokens" 2>"$folder/log" &
gate_pid=$!
trap 'kill "$gate_pid"; wait; rm -rf "$folder"' EXIT

cat >"$folder/schemathesis.toml" <<'TOML'
# A schema cannot detect an invalid rules file, an unknown rule, or a missing signature.
[[operations]]
include-operation-id = "impact"
checks.positive_data_acceptance.expected-statuses = ["2xx", "400", "404", "422", "503"]

[[operations]]
include-operation-id = "hook"
checks.positive_data_acceptance.expected-statuses = ["2xx", "403", "404"]

# The generated revisions do not exist.
[[operations]]
include-operation-id = "previewUndo"
checks.positive_data_acceptance.expected-statuses = ["2xx", "404"]

[[operations]]
include-operation-id = "undo"
checks.positive_data_acceptance.expected-statuses = ["2xx", "404", "428"]

# The event stream has no end.
[[operations]]
include-operation-id = "events"
enabled = false
TOML
# Schemathesis writes files to its working directory.
cd "$folder"
"$tools/bin/schemathesis" --config-file schemathesis.toml run "http://127.0.0.1:$port/api/v1/openapi.json" \
    --header "Authorization: Bearer 0123456789abcdef" --wait-for-schema 30 --checks all \
    --max-examples "${EXAMPLES:-50}" --continue-on-failure --seed "${SEED:-1}" --no-color
