"""Faults that result in a response. Each gets the valid response and returns an invalid one."""

import gzip
import json
import struct
import time
import zlib

from .messages import Answer, http_date

PAGE = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Welcome.</body></html>"
NAMED_STATUS = {str(code): code for code in (400, 401, 403, 404, 412, 429, 500, 502, 503, 504)}


def status(spoiling):
    """Returns the source's documented response for a status, or the given `body`."""
    fault = spoiling.fault
    code = int(fault.get("code", NAMED_STATUS.get(fault.kind, 500)))
    answer = spoiling.protocol.refusal(code, spoiling.request)
    if "body" in fault.described:
        answer.body = fault.get("body").encode()
        answer.replace("Content-Type", fault.get("contentType", "text/plain"))
    if "retryAfter" in fault.described:
        answer.replace("Retry-After", retry_after(fault.get("retryAfter")))
    return answer


def retry_after(value):
    """Returns `date+N` as the HTTP date in N seconds, and any other value unchanged."""
    if isinstance(value, str) and value.startswith("date+"):
        return http_date(time.time() + float(value[5:]))
    return str(value)


def redirect(spoiling):
    """Redirects to the other listener, which has the host `localhost` and another port."""
    fault = spoiling.fault
    target = fault.get("to") or spoiling.protocol.server.other.origin + spoiling.request.target
    return Answer(fault.get("code", 302), fields=[("Location", target)])


def redirect_loop(spoiling):
    return Answer(spoiling.fault.get("code", 302), fields=[("Location", spoiling.request.target)])


def redirect_down(spoiling):
    """Redirects to the listener without TLS."""
    target = spoiling.protocol.server.plain.origin + spoiling.request.target
    return Answer(spoiling.fault.get("code", 302), fields=[("Location", target)])


def redirect_nowhere(spoiling):
    return Answer(spoiling.fault.get("code", 302))


def empty(spoiling):
    return Answer(200, b"", spoiling.answer.field("Content-Type"))


def html(spoiling):
    return Answer(200, PAGE, "text/html; charset=utf-8")


def null(spoiling):
    return with_body(spoiling.answer, b"null")


def wrong_type(spoiling):
    """Returns valid JSON of a different type, or the value of `json`."""
    if "json" in spoiling.fault.described:
        return with_body(spoiling.answer, json.dumps(spoiling.fault.get("json")).encode())
    is_object = spoiling.answer.body.lstrip().startswith(b"{")
    return with_body(spoiling.answer, b"[1,2,3]" if is_object else b'{"unexpected":true}')


def bad_json(spoiling):
    """Returns the first half of the body, with valid framing."""
    body = spoiling.answer.body
    return with_body(spoiling.answer, body[:max(1, len(body) // 2)])


def not_utf8(spoiling):
    """Inserts two bytes that are invalid in UTF-8 into the first string."""
    body = spoiling.answer.body
    place = body.find(b'"') + 1 or len(body) // 2
    return with_body(spoiling.answer, body[:place] + b"\xff\xfe" + body[place:])


def content_type(spoiling):
    answer = with_body(spoiling.answer, spoiling.answer.body)
    answer.replace("Content-Type", spoiling.fault.get("contentType", "application/octet-stream"))
    return answer


def bad_gzip(spoiling):
    """Declares gzip for a body that is not gzip, is truncated, or has a wrong checksum."""
    form = spoiling.fault.get("form", "garbage")
    packed = gzip.compress(spoiling.answer.body, mtime=0)
    body = {
        "garbage": b"\x1f\x8b" + b"this is not gzip" * 4,
        "cut": packed[:max(12, len(packed) // 2)],
        "checksum": packed[:-8] + bytes(byte ^ 0xFF for byte in packed[-8:-4]) + packed[-4:],
        "plain": spoiling.answer.body,
    }[form]
    answer = with_body(spoiling.answer, body)
    answer.replace("Content-Encoding", "gzip")
    return answer


def gzip_bomb(spoiling):
    """Returns a few kilobytes that decompress to `bytes`, by default 256 MiB."""
    answer = with_body(spoiling.answer, b"")
    size = spoiling.fault.get("bytes", 256 * 1024 * 1024)
    answer.body = bomb(spoiling.answer.body, size)
    answer.replace("Content-Encoding", "gzip")
    return answer


def bomb(start, size):
    """Returns a gzip file (RFC 1952) that repeats the same block of spaces."""
    blanks = b" " * 1024 * 1024
    count = size // len(blanks)
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    first = packer.compress(start) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(blanks) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum = zlib.crc32(start)
    for _ in range(count):
        checksum = zlib.crc32(blanks, checksum)
    length = (len(start) + count * len(blanks)) & 0xFFFFFFFF
    head = bytes([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 255])
    return head + first + block * count + packer.flush() + struct.pack("<II", checksum, length)


def unknown_encoding(spoiling):
    answer = with_body(spoiling.answer, spoiling.answer.body)
    answer.replace("Content-Encoding", spoiling.fault.get("encoding", "x-unheard-of"))
    return answer


def big_head(spoiling):
    """Adds header fields of one megabyte in total."""
    answer = with_body(spoiling.answer, spoiling.answer.body)
    answer.fields += [(f"X-Padding-{number}", "x" * 8000) for number in range(128)]
    return answer


def with_body(answer, body):
    changed = Answer(200, body, fields=[
        field for field in answer.fields if field[0].lower() not in ("etag", "content-encoding")
    ])
    changed.filler = answer.filler
    return changed


STATUS_PARAMETERS = {"code", "body", "contentType", "retryAfter"}

# The function and the parameters of each fault, by its name.
ANSWERS = {
    **{name: (status, STATUS_PARAMETERS) for name in ["status", *NAMED_STATUS]},
    "redirect": (redirect, {"code", "to"}),
    "redirect-loop": (redirect_loop, {"code"}),
    "redirect-down": (redirect_down, {"code"}),
    "redirect-nowhere": (redirect_nowhere, {"code"}),
    "empty": (empty, set()),
    "html": (html, set()),
    "null": (null, set()),
    "wrong-type": (wrong_type, {"json"}),
    "bad-json": (bad_json, set()),
    "not-utf8": (not_utf8, set()),
    "content-type": (content_type, {"contentType"}),
    "bad-gzip": (bad_gzip, {"form"}),
    "gzip-bomb": (gzip_bomb, {"bytes"}),
    "unknown-encoding": (unknown_encoding, {"encoding"}),
    "big-head": (big_head, set()),
}
