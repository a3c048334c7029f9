#!/usr/bin/env bash
# Takes the screenshots of the denial page (docs/images), from the gate at $1 (default: the debug build) with
# four lines of rules. This needs Debian's chromium, fonts-noto-core and fonts-noto-cjk.
set -euo pipefail

gate=${1:-.build/debug/versiongate}
listen=127.0.0.1:${PORT:-18426}
folder=$(mktemp -d)

cat >"$folder/rules.yaml" <<'EOF'
rules:
  - id: shop
    minimum: "3.5.0"
    storeUrl: https://apps.apple.com/app/id1234567890
EOF
# Denied requests do not reach the backend, so none is needed.
"$gate" serve --listen "$listen" --upstream http://127.0.0.1:9 --rules "$folder/rules.yaml" 2>"$folder/log" &
gate_pid=$!
trap 'kill "$gate_pid"; wait; rm -rf "$folder"' EXIT

for language in en ja de hi ar; do
    curl --silent --show-error --retry 30 --retry-delay 1 --retry-connrefused --output "$folder/page.html" \
        --header 'X-App-Version: 3.4.9' --header "Accept-Language: $language" \
        --header 'Accept: text/html,application/xhtml+xml' "http://$listen/"
    grep --quiet "<html lang=\"$language\"" "$folder/page.html"
    chromium --headless=new --no-sandbox --hide-scrollbars --user-data-dir="$folder/profile" --window-size=390,844 \
        --screenshot="$PWD/docs/images/page-$language.png" "file://$folder/page.html" 2>>"$folder/log"
done
