"""The facts in a gRPC status."""

from __future__ import annotations

import base64
from urllib.parse import unquote


def facts(message: str, details: str) -> dict[str, object]:
    """Returns google.rpc.ErrorInfo's metadata in `grpc-status-details-bin`, and `grpc-message`."""
    found: dict[str, object] = {}
    try:
        for detail in _contents(base64.b64decode(details + "=" * (-len(details) % 4)), 3):
            if not b"".join(_contents(detail, 1)).endswith(b"/google.rpc.ErrorInfo"):
                continue
            for entry in _contents(b"".join(_contents(detail, 2)), 3):
                name = b"".join(_contents(entry, 1)).decode()
                found[name] = b"".join(_contents(entry, 2)).decode()
        # A build with dots is not a number, and counts as missing.
        build = str(found.pop("minimumBuild", ""))
        if build.isascii() and build.isdigit():
            found["minimumBuild"] = int(build)
        if "cannotUpdate" in found:
            found["cannotUpdate"] = found["cannotUpdate"] == "true"
    except ValueError:
        # An invalid value counts as missing.
        found = {}
    if message:
        found["message"] = unquote(message)
    return found


def web_trailers(kind: str, body: bytes | str | None) -> dict[str, str]:
    """Returns the trailers in the content of a gRPC-Web response.

    The content is a frame whose lines end with CRLF, or its Base64.
    """
    if not body or not kind.startswith("application/grpc-web"):
        return {}
    frame = body.encode("utf-8", "replace") if isinstance(body, str) else body
    if kind.startswith("application/grpc-web-text"):
        try:
            frame = base64.b64decode(frame)
        except ValueError:
            # Invalid content counts as missing.
            return {}
    # The head of the frame precedes the first trailer, which is the status.
    lines = frame.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    return {name: value.strip() for name, colon, value in pairs if colon}


def _contents(data: bytes, number: int) -> list[bytes]:
    """Returns the contents of all length-delimited Protocol Buffers fields with a number."""
    found = []
    index = 0
    while index < len(data):
        key, index = _varint(data, index)
        size, index = _varint(data, index)
        if key & 7 == 0:
            continue
        if key & 7 != 2 or index + size > len(data):
            raise ValueError("malformed")
        if key >> 3 == number:
            found.append(data[index : index + size])
        index += size
    return found


def _varint(data: bytes, index: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if index >= len(data):
            break
        byte = data[index]
        index += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, index
    raise ValueError("cut off")
