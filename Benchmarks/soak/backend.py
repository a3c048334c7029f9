"""The soak test's backend: `python3 -m soak.backend PORT`. The path selects its behavior."""

import asyncio
import base64
import hashlib
import json
import sys
import zlib

PATTERN = bytes(range(256)) * 256
WEBSOCKET_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
EVENT_SECONDS = 1
# Longer than the gate's response timeout.
STALL_SECONDS = 60


async def serve(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            method, target, _ = lines[0].split(" ")
            fields = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
            body = await read_body(reader, fields)
            if not await answer(method, target, fields, body, reader, writer):
                break
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def read_body(reader, fields):
    if "content-length" in fields:
        return await reader.readexactly(int(fields["content-length"]))
    if fields.get("transfer-encoding") != "chunked":
        return b""
    body = b""
    while size := int(await reader.readuntil(b"\r\n"), 16):
        body += (await reader.readexactly(size + 2))[:-2]
    await reader.readuntil(b"\r\n")
    return body


async def answer(method, target, fields, body, reader, writer):
    """Responds to one request, and returns whether the connection remains open."""
    action, _, argument = target.strip("/").partition("/")
    if action == "upload":
        report = json.dumps({"bytes": len(body), "crc": zlib.crc32(body)})
        write(writer, report.encode())
    elif action == "download":
        count = int(argument)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % count)
        while count > 0:
            writer.write(PATTERN[:count])
            count -= len(PATTERN)
            await writer.drain()
    elif action == "events":
        await send_events(int(argument), writer)
        return False
    elif action == "websocket":
        await echo(fields, reader, writer)
        return False
    elif action == "cut":
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + PATTERN[:500])
        await writer.drain()
        return False
    elif action == "nonsense":
        writer.write(b"This is no HTTP.\r\n\r\n")
        return False
    elif action == "stall":
        await asyncio.sleep(STALL_SECONDS)
        return False
    else:
        write(writer, b'{"id":48213,"name":"Trail running shoes","price":12800}', method)
    return True


def write(writer, body, method="GET"):
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    writer.write(head % len(body) + (b"" if method == "HEAD" else body))


async def send_events(seconds, writer):
    writer.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    )
    for number in range(seconds // EVENT_SECONDS):
        writer.write(b"data: %d\n\n" % number)
        await writer.drain()
        await asyncio.sleep(EVENT_SECONDS)
    writer.write(b"data: end\n\n")


async def echo(fields, reader, writer):
    """Serves a WebSocket that echoes the bytes as they are, because the client masks with zeros."""
    key = fields["sec-websocket-key"].encode()
    accept = base64.b64encode(hashlib.sha1(key + WEBSOCKET_GUID).digest())
    writer.write(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
    )
    while bytes_ := await reader.read(4096):
        # An unmasked frame with the same content, for frames of less than 126 bytes.
        while len(bytes_) >= 6:
            length = bytes_[1] & 0x7F
            writer.write(bytes([bytes_[0], length]) + bytes_[6:6 + length])
            bytes_ = bytes_[6 + length:]
        await writer.drain()


async def main(port):
    # Header values are converted to lower case here, but WebSocket keys are case-sensitive, so the
    # soak test uses lower-case keys.
    server = await asyncio.start_server(serve, "127.0.0.1", port, limit=2**20, backlog=1024)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
