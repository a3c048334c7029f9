#!/usr/bin/env bash
#
# aiosonic: the body of a response without Content-Length is empty, without an error.
#
# Expected:  a response with neither Content-Length nor Transfer-Encoding has the body that follows until
#            the connection is closed (RFC 9112, 6.3), and the client returns it.
# Observed:  over HTTP/1.1, the client does not read it: text() is empty, json() fails, and nothing tells that
#            bytes were left. With a length or chunks, the same body arrives.
# Impact:    the texts and the address of the store in a denial are lost if a proxy or backend ends its
#            responses in this way: h2o 2.2.5 (Debian 12) does so if it forwards a chunked 426, and nghttpx
#            1.52.0 and tinyproxy 1.11.1 (Debian 12) if the backend does.
# Guess:     the whole body in all cases; seen: none.
#
# Software:  aiosonic 1.3.3 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check aiosonic==1.3.3

cd "$work"
timeout 60 "$work/venv/bin/python" - <<'PYTHON'
import asyncio
import sys
from importlib.metadata import version

import aiosonic

TEXT = b'{"title":"Update required"}'
CHUNKS = b"%x\r\n%s\r\n0\r\n\r\n" % (len(TEXT), TEXT)
FRAMINGS = {
    "length": (b"Content-Length: %d\r\nConnection: close" % len(TEXT), TEXT),
    "chunks": (b"Transfer-Encoding: chunked\r\nConnection: close", CHUNKS),
    "until close": (b"Connection: close", TEXT),
    "until close, HTTP/1.0": (b"Server: backend", TEXT),
}
STATUSES = {200: b"200 OK", 426: b"426 Upgrade Required"}


async def ask(framing, status):
    """Returns the status and the body that the client gets from a server for one response."""
    fields, body = FRAMINGS[framing]
    protocol = b"HTTP/1.0" if "1.0" in framing else b"HTTP/1.1"

    async def answer(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"%s %s\r\nX-VersionGate: require\r\n%s\r\n\r\n" % (protocol, STATUSES[status], fields))
        writer.write(body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with aiosonic.HTTPClient() as client:
        response = await client.get(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/orders")
        result = response.status_code, await response.content()
    server.close()
    return result


print("aiosonic", version("aiosonic"))
# Framing and status: the body.
recorded = {}
for framing in FRAMINGS:
    for status in STATUSES:
        recorded[framing, status] = status, b"" if framing.startswith("until") else TEXT
observed = {}
for framing, status in recorded:
    result = asyncio.run(asyncio.wait_for(ask(framing, status), 10))
    observed[framing, status] = result
    print(f"{status}, {framing}: status {result[0]}, body {result[1]}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: a body that ends with the connection is not returned")
PYTHON
