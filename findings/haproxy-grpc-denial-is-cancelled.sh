#!/usr/bin/env bash
#
# HAProxy: a gRPC denial that is sent before the end of the request arrives as CANCELLED.
#
# Expected:  a server may answer before it has read the whole request (RFC 9113 section 8.1), so a stream that it
#            denies after its first message, and a large message to an unknown method, have the status that the
#            server sends, as without HAProxy, or with nginx, Caddy or Traefik in its place.
# Observed:  HAProxy forwards the trailers with the status, and then the server's reset of the stream, but with the
#            code CANCEL instead of NO_ERROR. For gRPC's clients, the reset decides: the status is CANCELLED "Stream
#            removed", and only the trailing metadata is from the server. Small unary calls, which are complete when
#            they are denied, have the right status, and so have denials of servers that read on without a reset.
#            Later versions have a correction (issue 1219 of HAProxy).
# Impact:    an app that is too old shows no update screen when its upload is denied. CANCELLED normally means that
#            the app itself has ended the call, so it is easily ignored. A test with a small unary call succeeds.
#            A denial can still be recognized by its metadata.
# Guess:     FAILED_PRECONDITION in all cases.
#
# Software:  haproxy 2.6.12-1+deb12u4 (Debian 12); grpcio 1.85.3 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check grpcio==1.85.3

cd "$work"
apt-get download --quiet=2 haproxy=2.6.12-1+deb12u4 liblua5.3-0 libpcre2-8-0 libssl3 \
    2> download.log || { cat download.log >&2; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
haproxy="$work/root/usr/sbin/haproxy"
libraries="$work/root/usr/lib/$(uname -m)-linux-gnu"
LD_LIBRARY_PATH="$libraries" "$haproxy" -v | sed -n 1p

cat > template <<'CONFIGURATION'
defaults
    mode http
    timeout connect 5s
    timeout client 10s
    timeout server 10s
frontend api
    bind 127.0.0.1:@port@ proto h2
    default_backend servers
backend servers
    server one 127.0.0.1:@backend@ proto h2
CONFIGURATION

venv/bin/python - "$haproxy" "$libraries" <<'PYTHON'
import sys
import threading
from concurrent import futures
from importlib.metadata import version

import grpc
from gateways import free_port, running

print("grpcio", version("grpcio"))


class Service(grpc.GenericRpcHandler):
    """Denies calls of /Orders/Upload after the first message, and those of /Orders/Get."""

    def service(self, call):
        if call.method == "/Orders/Upload":
            return grpc.stream_unary_rpc_method_handler(lambda messages, context: deny(next(messages), context))
        return grpc.unary_unary_rpc_method_handler(deny) if call.method == "/Orders/Get" else None


def deny(_, context):
    context.set_trailing_metadata((("x-versiongate", "require"),))
    context.abort(grpc.StatusCode.FAILED_PRECONDITION, "Please update.")


def result(call):
    """Returns the status of a call, and whether it has the metadata of the denial."""
    try:
        call()
    except grpc.RpcError as error:
        return error.code().name, ("x-versiongate", "require") in [tuple(item) for item in error.trailing_metadata()]
    return "OK", False


def upload(channel):
    ended = threading.Event()

    def messages():
        yield b"first"
        ended.wait(3)
        yield b"second"

    try:
        return result(lambda: channel.stream_unary("/Orders/Upload")(messages(), timeout=10))
    finally:
        ended.set()


server = grpc.server(futures.ThreadPoolExecutor(4))
server.add_generic_rpc_handlers((Service(),))
backend, port = server.add_insecure_port("127.0.0.1:0"), free_port()
server.start()
command = ["env", f"LD_LIBRARY_PATH={sys.argv[2]}", sys.argv[1], "-db", "-f", "haproxy.cfg"]
calls = {
    "small unary call": lambda channel: result(lambda: channel.unary_unary("/Orders/Get")(b"small", timeout=10)),
    "8 MB to an unknown method": lambda channel: result(
        lambda: channel.unary_unary("/Orders/Unknown")(bytes(8_000_000), timeout=10)),
    "upload": upload,
}
# Way and call: the status, and whether the metadata of the denial arrives.
recorded = {
    ("direct", "small unary call"): ("FAILED_PRECONDITION", True),
    ("direct", "8 MB to an unknown method"): ("UNIMPLEMENTED", False),
    ("direct", "upload"): ("FAILED_PRECONDITION", True),
    ("HAProxy", "small unary call"): ("FAILED_PRECONDITION", True),
    ("HAProxy", "8 MB to an unknown method"): ("CANCELLED", False),
    ("HAProxy", "upload"): ("CANCELLED", True),
}
observed = {}
with running(command, "haproxy.cfg", port, backend=backend):
    for way, name in recorded:
        address = f"127.0.0.1:{backend if way == 'direct' else port}"
        with grpc.insecure_channel(address, options=[("grpc.enable_http_proxy", 0)]) as channel:
            grpc.channel_ready_future(channel).result(10)
            observed[way, name] = calls[name](channel)
        status, has_metadata = observed[way, name]
        print(f"{way}, {name}: {status}{', with the metadata of the denial' if has_metadata else ''}")
server.stop(None)

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: through HAProxy, early denials are CANCELLED")
PYTHON
