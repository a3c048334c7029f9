"""HTTP/1.1, implemented by hand so that a client can stop at any byte."""

import asyncio
import contextlib

# Longer than all of the gate's timeouts here.
PATIENCE_SECONDS = 30


# The fields that open a WebSocket; the backend of the soak test needs a key in lower case.
HANDSHAKE = (
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dghlihnhbxbszsbub25jzq==\r\n"
)
# A text frame, masked with zeros (RFC 6455 section 5.2).
FRAME = b"\x81\x85\0\0\0\0hello"


class Cut(Exception):
    """The connection ended before the response was complete."""


class Connection:
    """A connection to the gate; leaving the block closes it."""

    def __init__(self, port, receive_buffer=None):
        self._port = port
        self._limit = receive_buffer or 2**16

    async def __aenter__(self):
        self.reader, self.writer = await asyncio.open_connection(
            "127.0.0.1", self._port, limit=self._limit
        )
        return self

    async def __aexit__(self, *_):
        self.writer.close()
        with contextlib.suppress(OSError, asyncio.TimeoutError):
            await asyncio.wait_for(self.writer.wait_closed(), 5)

    def reset(self):
        """Resets the connection."""
        self.writer.transport.abort()

    async def send(self, *pieces, pause=0):
        for piece in pieces:
            self.writer.write(piece)
            await self.writer.drain()
            if pause:
                await asyncio.sleep(pause)

    async def head(self):
        """Returns the status and the fields of the next response."""
        try:
            head = await asyncio.wait_for(
                self.reader.readuntil(b"\r\n\r\n"), PATIENCE_SECONDS
            )
        except asyncio.IncompleteReadError as error:
            raise Cut("no answer") from error
        lines = head.decode("latin-1").split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        return int(lines[0].split(" ")[1]), fields

    async def body(self, fields, pause=0):
        """Returns the body, read in chunks with an optional pause after each."""
        if fields.get("transfer-encoding") == "chunked":
            return await self._chunked()
        left = int(fields.get("content-length", 0))
        pieces = []
        while left > 0:
            piece = await asyncio.wait_for(
                self.reader.read(min(left, 2**16)), PATIENCE_SECONDS
            )
            if not piece:
                raise Cut("cut short")
            pieces.append(piece)
            left -= len(piece)
            if pause:
                await asyncio.sleep(pause)
        return b"".join(pieces)

    async def _chunked(self):
        body = b""
        try:
            while size := int(await self.reader.readuntil(b"\r\n"), 16):
                body += (await self.reader.readexactly(size + 2))[:-2]
            await self.reader.readuntil(b"\r\n")
        except asyncio.IncompleteReadError as error:
            raise Cut("cut short") from error
        return body

    async def ask(self, *pieces, pause=0):
        """Sends a request, and returns the status and the body of the response."""
        await self.send(*pieces)
        status, fields = await self.head()
        return status, await self.body(fields, pause)


def request(target, version, method="GET", fields="", body=b""):
    head = (
        f"{method} {target} HTTP/1.1\r\nHost: soak\r\nX-App-Platform: ios\r\n"
        f"X-App-Version: {version}\r\n{fields}"
    )
    if body:
        head += f"Content-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body
