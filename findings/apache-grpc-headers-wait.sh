#!/usr/bin/env bash
#
# Apache as a gRPC proxy: response headers wait for the first message, and failed calls that had started are repeated.
#
# Expected:  mod_proxy_http2 forwards the headers of a gRPC response when they arrive, as nginx, HAProxy, nghttpx and
#            Traefik do, and as mod_proxy_http does for HTTP/1.1; and a client with a retry policy sends a call again
#            only if the server has not sent headers (gRPC's retry design: the call is then committed).
# Observed:  the headers arrive with the first message, even with "H2OutputBuffering off" and "flushpackets=on". If
#            there is no message, they are merged with the trailers. A client that waits for the headers before its
#            first message gets DEADLINE_EXCEEDED. A call that fails with UNAVAILABLE after the headers looks as if
#            it had never started, and the client repeats it: the server runs it five times instead of once.
# Impact:    hints in the headers, such as "an update is recommended", reach a stream of events only with its first
#            event, perhaps hours later. Behind Apache, a maintenance that ends calls in progress with UNAVAILABLE
#            makes clients with a usual retry policy repeat orders that the backend had already begun.
# Guess:     the headers at once, and one call.
#
# Software:  apache2-bin 2.4.71-1~deb12u1 (Debian 12); grpcio 1.85.3 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check grpcio==1.85.3

cd "$work"
apt-get download --quiet=2 apache2-bin=2.4.71-1~deb12u1 libapr1 libaprutil1 libpcre2-8-0 libnghttp2-14 \
    2> download.log || { cat download.log >&2; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
libraries=$work/root/usr/lib/$(uname -m)-linux-gnu
LD_LIBRARY_PATH=$libraries root/usr/sbin/apache2 -v | sed -n 1p

cat > template <<'CONFIGURATION'
LoadModule mpm_event_module root/usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module root/usr/lib/apache2/modules/mod_authz_core.so
LoadModule http2_module root/usr/lib/apache2/modules/mod_http2.so
LoadModule proxy_module root/usr/lib/apache2/modules/mod_proxy.so
LoadModule proxy_http2_module root/usr/lib/apache2/modules/mod_proxy_http2.so
PidFile apache.pid
DefaultRuntimeDir .
ErrorLog error.log
ServerName localhost
Listen 127.0.0.1:@port@
Protocols h2c http/1.1
H2Direct on
H2OutputBuffering off
ProxyPass / h2c://127.0.0.1:@backend@/ flushpackets=on
CONFIGURATION

venv/bin/python - "$libraries" <<'PYTHON'
import json
import os
import sys
import threading
import time
from concurrent import futures
from importlib.metadata import version

import grpc
from gateways import free_port, running

print("grpcio", version("grpcio"))
HEADERS = (("x-versiongate", "recommend"),)
POLICY = json.dumps({"methodConfig": [{"name": [{}], "retryPolicy": {
    "maxAttempts": 5, "initialBackoff": "0.05s", "maxBackoff": "0.1s", "backoffMultiplier": 1,
    "retryableStatusCodes": ["UNAVAILABLE"]}}]})


class Service(grpc.GenericRpcHandler):
    """Sends events, echoes messages, and ends each order with UNAVAILABLE."""
    orders = 0

    def service(self, call):
        return {
            "/Shop/Events": grpc.unary_stream_rpc_method_handler(self.events),
            "/Shop/Echo": grpc.stream_stream_rpc_method_handler(self.echo),
            "/Shop/Order": grpc.unary_unary_rpc_method_handler(self.order),
        }.get(call.method)

    def events(self, _, context):
        context.send_initial_metadata(HEADERS)
        time.sleep(2)
        yield b"event"

    def echo(self, messages, context):
        context.send_initial_metadata(HEADERS)
        yield from messages

    def order(self, kind, context):
        Service.orders += 1
        if kind == b"begun":
            context.send_initial_metadata(HEADERS)
            time.sleep(0.2)
        context.abort(grpc.StatusCode.UNAVAILABLE, "maintenance")


def events(channel):
    """Returns whether the headers arrive at once or with the event."""
    started = time.monotonic()
    call = channel.unary_stream("/Shop/Events")(b"", timeout=10)
    if ("x-versiongate", "recommend") not in [tuple(item) for item in call.initial_metadata()]:
        return "no headers"
    arrived = time.monotonic() - started
    list(call)
    return "at once" if arrived < 1 else "with the first message"


def echo(channel):
    """Returns the result of a call that waits for the headers before it sends a message."""
    ready = threading.Event()

    def messages():
        if ready.wait(6):
            yield b"message"

    call = channel.stream_stream("/Shop/Echo")(messages(), timeout=3)
    try:
        call.initial_metadata()
        ready.set()
        return b"".join(call).decode()
    except grpc.RpcError as error:
        return error.code().name
    finally:
        ready.set()


def order(channel, kind):
    """Returns how often the server runs an order."""
    Service.orders = 0
    try:
        channel.unary_unary("/Shop/Order")(kind, timeout=10)
    except grpc.RpcError as error:
        return f"{error.code().name}, {Service.orders} calls"


server = grpc.server(futures.ThreadPoolExecutor(8))
server.add_generic_rpc_handlers((Service(),))
backend, port = server.add_insecure_port("127.0.0.1:0"), free_port()
server.start()
command = ["env", f"LD_LIBRARY_PATH={sys.argv[1]}", "root/usr/sbin/apache2", "-D", "FOREGROUND",
           "-d", os.getcwd(), "-f", "apache.conf"]
calls = {
    "headers of a stream": events,
    "client waits for headers": echo,
    "order that fails at once": lambda channel: order(channel, b"new"),
    "order that fails after the headers": lambda channel: order(channel, b"begun"),
}
# Call: its result without and with Apache.
recorded = {
    "headers of a stream": ("at once", "with the first message"),
    "client waits for headers": ("message", "DEADLINE_EXCEEDED"),
    "order that fails at once": ("UNAVAILABLE, 5 calls", "UNAVAILABLE, 5 calls"),
    "order that fails after the headers": ("UNAVAILABLE, 1 calls", "UNAVAILABLE, 5 calls"),
}
observed = {}
options = [("grpc.enable_http_proxy", 0), ("grpc.service_config", POLICY)]
with running(command, "apache.conf", port, backend=backend):
    for name, call in calls.items():
        results = []
        for target in backend, port:
            with grpc.insecure_channel(f"127.0.0.1:{target}", options=options) as channel:
                results.append(call(channel))
        observed[name] = tuple(results)
        print(f"{name}: {results[0]}; through Apache: {results[1]}")
server.stop(None)

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: Apache holds the headers, and a call that had begun is run five times")
PYTHON
