#!/usr/bin/env bash
#
# Granian: a denied WebSocket handshake whose body is sent in parts gets an empty 403.
#
# Expected:  Granian announces the extension "websocket.http.response", by which an ASGI application
#            answers a handshake with a response of its own. Its body may be sent in several messages,
#            with "more_body" in all but the last, like that of every other response.
# Observed:  with the whole body in one message, the client gets the response. With "more_body", the
#            message is refused ("Unsupported ASGI message"), and the client gets 403 without a body or
#            any field of the denial. Quart sends each denial in this way, so none arrives.
#            Hypercorn and uvicorn send them.
# Impact:    the app cannot tell "update required" or maintenance from a login that has expired: status,
#            X-VersionGate, Retry-After and the texts are gone. HTTP requests to the same server are
#            denied correctly, so a test without a WebSocket does not show it.
# Guess:     426 with the body in all cases; seen: 403 as soon as there are two parts.
#
# Software:  granian 2.8.9, quart 0.22.0, hypercorn 0.18.0, websockets 17.4 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check \
    granian==2.8.9 quart==0.22.0 hypercorn==0.18.0 websockets==17.4

cd "$work"
# Both applications deny builds of version 3: the first one with the messages of ASGI, in one part or two.
cat > template <<'APPLICATIONS'
from quart import Quart, websocket

DENIAL = b'{"title":"Update required"}'
FIELDS = [(b"content-type", b"application/json"), (b"x-versiongate", b"require")]


async def plain(scope, receive, send):
    if scope["type"] == "lifespan":
        return
    kind = "http.response"
    if scope["type"] == "websocket":
        await receive()
        if (b"x-app-version", b"4.0.0") in scope["headers"]:
            await send({"type": "websocket.accept"})
            await send({"type": "websocket.send", "text": "hello"})
            await receive()
            return
        assert "websocket.http.response" in scope["extensions"]
        kind = "websocket.http.response"
    parts = [DENIAL] if scope["path"] == "/one-part" else [DENIAL[:9], DENIAL[9:]]
    await send({"type": kind + ".start", "status": 426, "headers": FIELDS})
    for part in parts:
        more = part is not parts[-1]
        await send({"type": kind + ".body", "body": part, "more_body": more})


quart = Quart(__name__)


@quart.before_websocket
async def check():
    if websocket.headers["X-App-Version"] != "4.0.0":
        return DENIAL, 426, {"X-VersionGate": "require"}


@quart.websocket("/quart")
async def orders():
    await websocket.send("hello")
APPLICATIONS

"$work/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from gateways import free_port, request, running

print("granian", version("granian") + ", quart", version("quart"))


def handshake(port, path, app):
    """Returns the first message of a WebSocket, or the response that the client got instead."""
    address = f"ws://127.0.0.1:{port}{path}"
    try:
        with connect(address, additional_headers={"X-App-Version": app}, open_timeout=10) as socket:
            return socket.recv(10)
    except InvalidStatus as refusal:
        response = refusal.response
        fields = response.headers
        return response.status_code, fields.get("X-VersionGate"), response.body.decode()


def servers(port, application):
    granian = ["venv/bin/granian", "--interface", "asgi", "--port", str(port), application]
    return {"granian": granian, "hypercorn": ["venv/bin/hypercorn", "-b", f"127.0.0.1:{port}", application]}


denied = 426, "require", '{"title":"Update required"}'
lost = 403, None, ""
# Server, path and version: the response.
recorded = {
    ("granian", "/one-part", "4.0.0"): "hello", ("granian", "/one-part", "3.4.9"): denied,
    ("granian", "/two-parts", "3.4.9"): lost,
    ("granian", "/two-parts", "over HTTP"): denied,
    ("granian", "/quart", "4.0.0"): "hello", ("granian", "/quart", "3.4.9"): lost,
    ("hypercorn", "/two-parts", "3.4.9"): denied, ("hypercorn", "/quart", "3.4.9"): denied,
}
observed = {}
for server in "granian", "hypercorn":
    for application in "plain", "quart":
        port = free_port()
        with running(servers(port, "applications:" + application)[server], "applications.py", port):
            for case in recorded:
                name, path, app = case
                if name != server or (path == "/quart") != (application == "quart"):
                    continue
                if app == "over HTTP":
                    status, fields, body = request(port, path)
                    result = status, fields["X-VersionGate"], body
                else:
                    result = handshake(port, path, app)
                observed[case] = result
                print(f"{server}, {path}, {app}: {result}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: Granian replaces a WebSocket denial in two parts, and each of Quart's, with an empty 403")
PYTHON
