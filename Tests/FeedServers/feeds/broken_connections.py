"""Faults that end the connection: each takes it and leaves it unusable."""

import time

def reset(spoiling):
    """An RST; `after`: `request` (no byte came), `head`, or `body` (half of it), the default."""
    after = spoiling.fault.get("after", "body")
    if after != "request":
        start_body(spoiling, 0 if after == "head" else half(spoiling))
        # Time to arrive: an RST overtakes what the peer has not read.
        time.sleep(0.05)
    spoiling.connection.reset()


def truncated(spoiling):
    """Half of the body, then an ordered end; `chunked`: without the last chunk; `head`: no more."""
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
    """A body that never ends; `counted`: one of a terabyte, and says so."""
    start_body(spoiling, len(spoiling.answer.body), declared=1 << 40)
    while True:
        send_piece(spoiling, spoiling.answer.filler * 65536)


def slow(spoiling):
    """One byte every `interval` seconds, 0.05 if nothing is said."""
    start_body(spoiling, 0, declared=len(spoiling.answer.body))
    for byte in spoiling.answer.body:
        send_piece(spoiling, bytes([byte]))
        time.sleep(spoiling.fault.get("interval", 0.05))
    if is_chunked(spoiling):
        spoiling.connection.send(b"0\r\n\r\n")
    spoiling.connection.close()


def stalled(spoiling):
    """Silence; `after`: `request`, `head`, or `body` (half of it), the default."""
    after = spoiling.fault.get("after", "body")
    if after != "request":
        start_body(spoiling, 0 if after == "head" else half(spoiling))
    spoiling.connection.wait_until_gone()


def not_http(spoiling):
    spoiling.connection.send(b"SSH-2.0-OpenSSH_9.2p1\r\n")
    spoiling.connection.close()


def start_body(spoiling, count, declared=None):
    """Sends the head and so much of the body; the head promises the whole, or what is declared."""
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
    """`chunked`, `counted`, or `close`, which only the answers that usually have it get."""
    usual = "chunked" if spoiling.fault.kind == "oversized" else "counted"
    framing = spoiling.fault.get("framing") or spoiling.answer.framing or usual
    return framing if framing in ("chunked", "close") else "counted"


def is_chunked(spoiling):
    return framing_of(spoiling) == "chunked"


def half(spoiling):
    return len(spoiling.answer.body) // 2


# By the name of the fault: what it does, and the parameters that it takes.
ENDINGS = {
    "reset": (reset, {"after", "framing"}),
    "truncated": (truncated, {"framing", "goodbye"}),
    "oversized": (oversized, {"framing"}),
    "slow": (slow, {"interval", "framing"}),
    "stalled": (stalled, {"after", "framing"}),
    "not-http": (not_http, set()),
}
