#!/usr/bin/env bash
#
# sonora: a denied gRPC-Web call without a body succeeds with the result None.
#
# Expected:  a response with the HTTP status 426, 429 or 503 is an error of the call, as the
#            mapping of HTTP statuses to gRPC statuses says.
# Observed:  the client never reads the HTTP status. Without a body and a grpc-status, a call
#            returns None, and a stream ends without an error. With a page, the first five bytes
#            are read as the head of a message, and the rest of the page as the message. A denial
#            with a grpc-status in its head or its body raises WebRpcError, as it should.
# Impact:    "return 426;" in nginx has no body (nginx 1.31.3 has no page for this status). A
#            client that is denied so for its version continues as if the call had succeeded: it
#            shows an empty list instead of the update.
# Guess:     WebRpcError with the status UNKNOWN; seen: None.
#
# Software:  sonora 0.2.3, grpcio 1.85.3 (PyPI)
# Observed on: 2026-11-29
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check sonora==0.2.3 grpcio==1.85.3

cd "$work"
"$work/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import sonora.client

from gateways import serve

GRPC_WEB = {"Content-Type": "application/grpc-web+proto"}
MESSAGE = {"grpc-status": "9", "grpc-message": "Please%20update"}
PAGE = {"Content-Type": "text/html"}
TRAILERS = b"grpc-status: 9\r\ngrpc-message: Please%20update\r\n"
answers = {
    "message": (200, GRPC_WEB, bytes(4) + b"\x02ok\x80" + bytes(3) + b"\x10grpc-status: 0\r\n"),
    "denial in the head": (200, {**GRPC_WEB, **MESSAGE}, b""),
    "denial in the body": (200, GRPC_WEB, b"\x80" + len(TRAILERS).to_bytes(4, "big") + TRAILERS),
    "426": (426, {}, b""),
    "503": (503, {"Retry-After": "60"}, b""),
    "503 with a page": (503, PAGE, b"<h1>Service Unavailable</h1>"),
}


def call(channel):
    method = channel.unary_unary("/shop.Orders/List", lambda text: text, lambda text: text)
    return method(b"")


def stream(channel):
    method = channel.unary_stream("/shop.Orders/List", lambda text: text, lambda text: text)
    return list(method(b""))


def result(kind):
    try:
        with sonora.client.insecure_web_channel(address) as channel:
            return repr(kind(channel))
    except Exception as error:
        return type(error).__name__


print("sonora", version("sonora"))
address = f"http://127.0.0.1:{serve(lambda _: answers[answer])}"
# Answer: results of a call and of a stream.
recorded = {
    "message": ("b'ok'", "[b'ok']"),
    "denial in the head": ("WebRpcError", "WebRpcError"),
    "denial in the body": ("WebRpcError", "WebRpcError"),
    "426": ("None", "[]"),
    "503": ("None", "[]"),
    "503 with a page": ("b'ervice Unavailable</h1>'", "[b'ervice Unavailable</h1>']"),
}
observed = {}
for answer in answers:
    observed[answer] = result(call), result(stream)
    print(f"{answer}: call {observed[answer][0]}, stream {observed[answer][1]}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: a call that gets 426 without a body returns None")
PYTHON
