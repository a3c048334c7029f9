"""The Python adapters' common code.

An adapter reads one case per line from standard input, as JSON, and writes one line with what the app sees. Its first
line is its version: `{"version": "…"}`. A case has

- `url`, `method`, `fields` (header fields), `http` ("1.1" or "2"), `ca` (a PEM file), `timeout` in seconds,
- `upload`: null, or `{"bytes": …, "chunked": …, "expect": …}`,
- `kind`: "request", "events" or "websocket",
- `next`: null, or another request with `url`, `method` and `fields` that the same client sends afterwards.

An answer has `status`, `fields`, `body` and `length` if the app saw them, `error` (the class and the message of
an exception), and `seconds`; `next` is the answer for the other request. An adapter that does not support a case
answers `{"unsupported": "…"}`.
"""

import json
import sys
import time

PIECE = b"0123456789abcdef" * 4096
SHOWN = 8192


class Unsupported(Exception):
    """The client does not support this."""


def content(upload):
    """Returns an upload's whole body."""
    return (PIECE * (upload["bytes"] // len(PIECE) + 1))[: upload["bytes"]]


def pieces(upload):
    """Yields an upload's body in chunks."""
    left = upload["bytes"]
    while left:
        piece = PIECE[: min(left, len(PIECE))]
        left -= len(piece)
        yield piece


def answer(status, fields, body, **more):
    """Returns what the app sees of a response."""
    names = {name.lower(): value for name, value in fields}
    text = body if isinstance(body, str) else body.decode("utf-8", "replace")
    return {"status": status, "fields": names, "body": text[:SHOWN], "length": len(body), **more}


def failure(error):
    """Returns what the app sees of an exception."""
    if isinstance(error, Unsupported):
        return {"unsupported": str(error)}
    kind = type(error)
    module = "" if kind.__module__ in ("builtins", "__main__") else kind.__module__.split(".")[0] + "."
    return {"error": f"{module}{kind.__qualname__}", "message": " ".join(str(error).split())[:300]}


def first_event(lines):
    """Returns an event stream's first `data:` line."""
    for line in lines:
        text = line.decode() if isinstance(line, bytes) else line
        if text.startswith("data:"):
            return text.strip()
    raise EOFError("the stream has ended without an event")


def request_of(case):
    return {"kind": "request", "upload": None, "timeout": case["timeout"], "http": case["http"], **case["next"]}


def timed(action, *arguments):
    began = time.monotonic()
    try:
        result = action(*arguments)
    except Exception as error:
        result = failure(error)
    return {**(result or {}), "seconds": round(time.monotonic() - began, 3)}


def play(client_type, case):
    """Runs a case with a new client, which implements `ask(case)` and optionally `close()`."""
    client = None

    def ask():
        nonlocal client
        client = client_type(case)
        return client.ask(case)

    result = timed(ask)
    if case.get("next") and client:
        result["next"] = timed(client.ask, request_of(case))
    if hasattr(client, "close"):
        timed(client.close)
    return result


def say(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def serve(version, client_type):
    say({"version": version})
    for line in sys.stdin:
        say(play(client_type, json.loads(line)))
