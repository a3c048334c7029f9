"""Faults that end the connection. Each writes to the connection and leaves it unusable."""

import time

def reset(spoiling):
    """Resets the connection after `request` (no byte is sent), `head`, or `body` (half of it, the
    default).
    """
    after = spoiling.fault.get("after", "body")
    if after != "request":
        start_body(spoiling, 0 if after == "head" else half(spoiling))
        # The data needs time to arrive, because an RST discards what the peer has not read.
        time.sleep(0.05)
    spoiling.connection.reset()


def truncated(spoiling):
    """Sends half of the body and closes. With `chunked`, the last chunk is missing; with `head`,
    the end of the head is missing.
    """
    if spoiling.fault.get("framing") == "head":
        head = spoiling.answer.head()
        spoiling.connection.send(head[:len(head) // 2])
    else:
        start_body(spoiling, half(spoiling))
    if spoiling.fault.get("goodbye", True):
        spoiling.connection.close()
    else:
        spoiling.connection.discard()


def oversized(spoiling):
    """Sends a body that never ends. With `counted`, it declares a length of one terabyte."""
    start_body(spoiling, len(spoiling.answer.body), declared=1 << 40)
    while True:
        send_piece(spoiling, spoiling.answer.filler * 65536)


def slow(spoiling):
    """Sends one byte every `interval` seconds, by default 0.05."""
    start_body(spoiling, 0, declared=len(spoiling.answer.body))
    for byte in spoiling.answer.body:
        send_piece(spoiling, bytes([byte]))
        time.sleep(spoiling.fault.get("interval", 0.05))
    if is_chunked(spoiling):
        spoiling.connection.send(b"0\r\n\r\n")
    spoiling.connection.close()


def stalled(spoiling):
    """Stops sending after `request`, `head`, or `body` (half of it, the default)."""
    after = spoiling.fault.get("after", "body")
    if after != "request":
        start_body(spoiling, 0 if after == "head" else half(spoiling))
    spoiling.connection.wait_until_gone()


def not_http(spoiling):
    spoiling.connection.send(b"SSH-2.0-OpenSSH_9.2p1\r\n")
    spoiling.connection.close()


def start_body(spoiling, count, declared=None):
    """Sends the head and the first `count` bytes of the body. The head declares the whole body, or
    the length in `declared`.
    """
    length = len(spoiling.answer.body) + 1 if declared is None else declared
    spoiling.connection.send(spoiling.answer.head([{
        "chunked": ("Transfer-Encoding", "chunked"),
        "close": ("Connection", "close"),
        "counted": ("Content-Length", str(length)),
    }[framing_of(spoiling)]]))
    if count:
        send_piece(spoiling, spoiling.answer.body[:count])


def send_piece(spoiling, piece):
    if is_chunked(spoiling):
        spoiling.connection.send_chunk(piece)
    else:
        spoiling.connection.send(piece)


def framing_of(spoiling):
    """Returns `chunked`, `counted`, or `close`, which applies only to responses that usually have
    it.
    """
    usual = "chunked" if spoiling.fault.kind == "oversized" else "counted"
    framing = spoiling.fault.get("framing") or spoiling.answer.framing or usual
    return framing if framing in ("chunked", "close") else "counted"


def is_chunked(spoiling):
    return framing_of(spoiling) == "chunked"


def half(spoiling):
    return len(spoiling.answer.body) // 2


# The function and the parameters of each fault, by its name.
ENDINGS = {
    "reset": (reset, {"after", "framing"}),
    "truncated": (truncated, {"framing", "goodbye"}),
    "oversized": (oversized, {"framing"}),
    "slow": (slow, {"interval", "framing"}),
    "stalled": (stalled, {"after", "framing"}),
    "not-http": (not_http, set()),
}
