"""The soak test's clients. Each visit ends with a name for its result."""

import asyncio
import dataclasses
import json
import random
import re
import zlib

from dearest.client import (
    DATA, END_HEADERS, END_STREAM, HEADERS, PREFACE, RESET, SETTINGS, WINDOW, frame, literal,
)

from .backend import PATTERN
from .exchange import FRAME, HANDSHAKE, Connection, Cut, request
from .rules import ALWAYS_DENIED, ALWAYS_PASSES, WAVERS


@dataclasses.dataclass(frozen=True)
class Doors:
    """The gate's ports."""

    plain: int
    secure: int


async def passes(doors):
    async with Connection(doors.plain) as connection:
        status, _ = await connection.ask(request("/item", ALWAYS_PASSES))
        return str(status)


async def stays(doors):
    """Sends many requests on one connection, some of them of another kind."""
    async with Connection(doors.plain) as connection:
        for number in range(20):
            method = random.choice(["GET", "HEAD", "DELETE", "OPTIONS"])
            await connection.send(request(f"/item/{number}", ALWAYS_PASSES, method))
            status, fields = await connection.head()
            if method != "HEAD":
                await connection.body(fields)
            if status != 200:
                return str(status)
            await asyncio.sleep(random.random() / 2)
    return "200"


async def comes_back(doors):
    """Sends requests after pauses in which the gate parks the connection or is about to park it."""
    async with Connection(doors.plain) as connection:
        for number in range(4):
            status, _ = await connection.ask(request(f"/item/{number}", ALWAYS_PASSES))
            if status != 200:
                return str(status)
            await asyncio.sleep(random.uniform(1.8, 5))
        if random.random() < 0.3:
            connection.reset()
    return "200"


async def pipelines(doors):
    async with Connection(doors.plain) as connection:
        await connection.send(b"".join(
            request("/item", ALWAYS_PASSES if odd else ALWAYS_DENIED) for odd in (1, 0, 1, 0, 1)
        ))
        statuses = []
        for _ in range(5):
            status, fields = await connection.head()
            await connection.body(fields)
            statuses.append(str(status))
    return " ".join(statuses)


async def is_denied(doors):
    async with Connection(doors.plain) as connection:
        status, body = await connection.ask(request("/item", ALWAYS_DENIED))
        return str(status) if status != 426 or json.loads(body)["message"] else "no message"


def end_of_upload(status, answer, body):
    """Returns the result of an upload, to which the backend responds with the bytes that it has read."""
    if status != "200":
        return status
    right = json.loads(answer) == {"bytes": len(body), "crc": zlib.crc32(body)}
    return "200" if right else "wrong body"


async def uploads(doors):
    body = random.randbytes(1024) * random.choice([1, 50, 1000])
    async with Connection(doors.plain) as connection:
        if random.random() < 0.5:
            pieces = [request("/upload", ALWAYS_PASSES, "POST", body=body)]
        else:
            head = request(
                "/upload", ALWAYS_PASSES, "POST", "Transfer-Encoding: chunked\r\n"
            )
            chunk = b"%x\r\n%b\r\n" % (len(body), body)
            pieces = [head, chunk, b"0\r\n\r\n"]
        status, answer = await connection.ask(*pieces)
    return end_of_upload(str(status), answer, body)


async def uploads_in_single_bytes(doors):
    """Uploads in chunks of one byte."""
    body = random.randbytes(random.randrange(1, 3_000))
    head = request("/upload", ALWAYS_PASSES, "POST", "Transfer-Encoding: chunked\r\n")
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body)
    async with Connection(doors.plain) as connection:
        status, answer = await connection.ask(head, chunks, b"0\r\n\r\n")
    return end_of_upload(str(status), answer, body)


def upload_in_frames(version):
    """The start of an HTTP/2 connection and the head of an upload on stream 1."""
    fields = b"\x83\x86" + b"".join(literal(*field) for field in (
        (b":path", b"/upload"), (b":authority", b"soak"), (b"x-app-platform", b"ios"),
        (b"x-app-version", version.encode()),
    ))
    return [PREFACE, frame(SETTINGS, 0, 0), frame(HEADERS, END_HEADERS, 1, fields)]


async def uploads_in_small_frames(doors):
    """Uploads in frames of one byte each, over HTTP/2."""
    body = random.randbytes(random.randrange(1, 3_000))
    pieces = upload_in_frames(ALWAYS_PASSES)
    pieces += [frame(DATA, 0, 1, bytes([byte])) for byte in body]
    pieces.append(frame(DATA, END_STREAM, 1))
    async with Connection(doors.plain) as connection:
        await connection.send(b"".join(pieces))
        return await answer_in_frames(connection, body)


async def answer_in_frames(connection, body):
    """Reads the response on stream 1."""
    status, answer = "no answer", b""
    while True:
        kind, flags, stream, payload = await next_frame(connection)
        if stream != 1:
            continue
        if kind == RESET:
            return "reset"
        if kind == HEADERS and status == "no answer":
            # The first block can begin with a table size update (RFC 7541 section 6.3).
            block = payload.lstrip(b"\x20")
            status = "200" if block[0] == 0x88 else block[2:5].decode("latin-1")
        elif kind == DATA:
            answer += payload
        if flags & END_STREAM:
            break
    return end_of_upload(status, answer, body)


async def uploads_in_vain(doors):
    """A denied upload; a small one is read completely, and a large one also gets the response."""
    body = bytes(random.choice([1_000, 300_000]))
    async with Connection(doors.plain) as connection:
        status, _ = await connection.ask(request("/upload", ALWAYS_DENIED, "POST", body=body))
        return str(status)


async def uploads_in_vain_in_frames(doors):
    """A denied upload over HTTP/2, which the gate reads to its end and discards."""
    left = random.choice([1_000, 300_000, 3_000_000])
    return await denied_upload_in_frames(doors, left, ends=True)


async def never_ends_an_upload_in_vain(doors):
    """A denied upload over HTTP/2 whose client sends some of the body and then disconnects."""
    left = random.choice([1_000, 300_000, 1_000_000])
    return await denied_upload_in_frames(doors, left, ends=False)


async def denied_upload_in_frames(doors, left, ends):
    """Sends a body within the flow-control windows; returns the status of the response (RFC 9113 section 5.2)."""
    windows, status = {0: 65_535, 1: 65_535}, "no answer"
    async with Connection(doors.plain) as connection:
        await connection.send(*upload_in_frames(ALWAYS_DENIED))
        while True:
            while left > 0 and (count := min(left, 16_384, *windows.values())) > 0:
                left -= count
                windows = {stream: window - count for stream, window in windows.items()}
                flags = END_STREAM if ends and left == 0 else 0
                await connection.send(frame(DATA, flags, 1, bytes(count)))
            if left == 0 and status != "no answer":
                break
            kind, flags, stream, payload = await next_frame(connection)
            if kind == RESET:
                return "reset"
            if kind == HEADERS:
                status = payload.lstrip(b"\x20")[2:5].decode("latin-1")
            elif kind == WINDOW:
                windows[stream] += int.from_bytes(payload, "big")
            elif kind == SETTINGS:
                for at in range(0, len(payload), 6):
                    if payload[at:at + 2] == b"\0\4":
                        windows[1] += int.from_bytes(payload[at + 2:at + 6], "big") - 65_535
        if not ends:
            await leave(connection)
    return status


async def next_frame(connection):
    """The type, flags, stream and payload of the next frame."""
    try:
        head = await asyncio.wait_for(connection.reader.readexactly(9), 30)
        payload = await connection.reader.readexactly(int.from_bytes(head[:3], "big"))
    except asyncio.IncompleteReadError as error:
        raise Cut("cut short") from error
    return head[3], head[4], int.from_bytes(head[5:], "big"), payload


async def downloads(doors, pause=0):
    count = random.choice([100_000, 1_000_000, 4_000_000])
    async with Connection(doors.plain) as connection:
        status, body = await connection.ask(
            request(f"/download/{count}", ALWAYS_PASSES), pause=pause
        )
    if status != 200:
        return str(status)
    wanted = (PATTERN * (count // len(PATTERN) + 1))[:count]
    return "200" if body == wanted else "wrong body"


async def downloads_slowly(doors):
    return await downloads(doors, pause=0.1)


async def stops_in_head(doors):
    async with Connection(doors.plain) as connection:
        head = request("/item", ALWAYS_PASSES)
        await connection.send(head[:random.randrange(1, len(head) - 1)])
        await leave(connection)
    return "left"


async def stops_in_body(doors):
    async with Connection(doors.plain) as connection:
        whole = request("/upload", ALWAYS_PASSES, "POST", body=bytes(500_000))
        await connection.send(whole[:-random.randrange(1, 400_000)])
        await leave(connection)
    return "left"


async def stops_in_answer(doors):
    async with Connection(doors.plain) as connection:
        await connection.send(request("/download/4000000", ALWAYS_PASSES))
        await connection.reader.read(100_000)
        await leave(connection)
    return "left"


async def leaves_the_backend_waiting(doors):
    async with Connection(doors.plain) as connection:
        await connection.send(request("/stall", ALWAYS_PASSES))
        await asyncio.sleep(random.random())
        await leave(connection)
    return "left"


async def leave(connection):
    """Disconnects normally or abruptly."""
    if random.random() < 0.5:
        await asyncio.sleep(random.random())
        connection.reset()


async def sends_head_slowly(doors):
    head = request("/item", ALWAYS_PASSES)
    async with Connection(doors.plain) as connection:
        await connection.send(head[:-2])
        status, _ = await connection.head()
        return str(status)


async def sends_body_slowly(doors):
    async with Connection(doors.plain) as connection:
        await connection.send(request("/upload", ALWAYS_PASSES, "POST", body=bytes(1000))[:-500])
        status, _ = await connection.head()
        return str(status)


async def sends_nonsense(doors):
    async with Connection(doors.plain) as connection:
        status, _ = await connection.ask(b"GET /item HTTP/1.1\r\nHost : soak\r\n\r\n")
        return str(status)


async def meets_a_cut(doors):
    return await asks_for(doors, "/cut")


async def meets_nonsense(doors):
    return await asks_for(doors, "/nonsense")


async def meets_a_stall(doors):
    return await asks_for(doors, "/stall")


async def asks_for(doors, target):
    async with Connection(doors.plain) as connection:
        status, _ = await connection.ask(request(target, ALWAYS_PASSES))
        return str(status)


async def asks_where_it_stands(doors):
    async with Connection(doors.plain) as connection:
        status, body = await connection.ask(request("/.versiongate/status", ALWAYS_DENIED))
        right = status != 200 or json.loads(body)["decision"] == "require"
        return str(status) if right else "wrong decision"


async def listens(doors):
    """Listens to the gate's own events."""
    async with Connection(doors.plain) as connection:
        await connection.send(request("/.versiongate/events", WAVERS))
        status, _ = await connection.head()
        if status != 200:
            return str(status)
        await connection.reader.readuntil(b"data: ")
        await asyncio.sleep(random.uniform(1, 15))
    return "heard"


async def watches(doors):
    """Reads the backend's events to their end."""
    async with Connection(doors.plain) as connection:
        await connection.send(request(f"/events/{random.randrange(1, 12)}", ALWAYS_PASSES))
        status, _ = await connection.head()
        if status != 200:
            return str(status)
        heard = await asyncio.wait_for(connection.reader.read(-1), 30)
        return "heard" if b"data: end\n\n" in heard else "cut short"


async def talks(doors, version=ALWAYS_PASSES):
    """Exchanges messages over a WebSocket."""
    async with Connection(doors.plain) as connection:
        await connection.send(request("/websocket", version, fields=HANDSHAKE))
        status, _ = await connection.head()
        if status != 101:
            return str(status)
        for _ in range(random.randrange(1, 15)):
            await connection.send(FRAME)
            try:
                answer = await asyncio.wait_for(connection.reader.readexactly(2), 20)
                text = await connection.reader.readexactly(answer[1])
            except asyncio.IncompleteReadError as error:
                raise Cut("cut short") from error
            if answer[0] & 0x0F == 8:
                return "closed by the gate"
            if text != b"hello":
                return "wrong echo"
            await asyncio.sleep(1)
        await connection.send(b"\x88\x80\0\0\0\0")
    return "talked"


async def talks_until_denied(doors):
    return await talks(doors, WAVERS)


async def speaks_http2(doors):
    """Sends ten requests over TLS on each of two connections."""
    process = await asyncio.create_subprocess_exec(
        "h2load", "--requests=20", "--clients=2", "--max-concurrent-streams=5",
        f"--header=X-App-Version: {ALWAYS_PASSES}", "--header=X-App-Platform: ios",
        f"https://127.0.0.1:{doors.secure}/item",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )
    output = (await asyncio.wait_for(process.communicate(), 30))[0].decode()
    codes = re.search(r"(\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", output)
    if codes is None or "Application protocol: h2" not in output:
        return "no HTTP/2"
    passed, _, _, failed = map(int, codes.groups())
    if passed + failed < 20:
        return f"{20 - passed - failed} without an answer"
    return "502" if failed else "200"


# The visitors, each with its share of the visits and the results that need no explanation.
VISITORS = (
    (passes, 40, {"200"}),
    (stays, 10, {"200"}),
    (comes_back, 10, {"200"}),
    (pipelines, 5, {"200 426 200 426 200"}),
    (is_denied, 15, {"426"}),
    (uploads, 6, {"200"}),
    (uploads_in_single_bytes, 2, {"200"}),
    (uploads_in_small_frames, 2, {"200"}),
    (uploads_in_vain, 4, {"426"}),
    (uploads_in_vain_in_frames, 4, {"426"}),
    (never_ends_an_upload_in_vain, 1, {"426"}),
    (downloads, 2, {"200"}),
    (downloads_slowly, 1, {"200"}),
    (stops_in_head, 4, {"left"}),
    (stops_in_body, 2, {"left"}),
    (stops_in_answer, 2, {"left"}),
    (leaves_the_backend_waiting, 2, {"left"}),
    (sends_head_slowly, 1, {"408"}),
    (sends_body_slowly, 1, {"408"}),
    (sends_nonsense, 2, {"400"}),
    (meets_a_cut, 1, {"cut short"}),
    (meets_nonsense, 1, {"502"}),
    (meets_a_stall, 1, {"504"}),
    (asks_where_it_stands, 3, {"200"}),
    (speaks_http2, 1, {"200"}),
    (listens, 2, {"heard"}),
    (watches, 2, {"heard"}),
    (talks, 2, {"talked"}),
    # Its build is between the two floors, so a reload can end it, or it can be denied from the start.
    (talks_until_denied, 2, {"talked", "closed by the gate", "426"}),
)
