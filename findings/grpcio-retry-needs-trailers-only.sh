#!/usr/bin/env bash
#
# grpcio: UNAVAILABLE is not retried if the server sent headers before the status.
#
# Expected:  a retry policy for UNAVAILABLE repeats each call that ends with this status without a response
#            message.
# Observed:  a call is repeated if the response consists of trailers only, as after context.abort(). If the
#            server sent its initial metadata before the status, the call is not repeated, although the
#            client sees the same status and message. (The design document of retries says that; the
#            service configuration only lists status codes.)
# Impact:    a proxy that denies calls during maintenance sends trailers only, so each call arrives up to
#            four times. A service whose interceptor sends metadata gets each call once, so a test against
#            the service does not show the load that the proxy will get.
# Guess:     both are repeated; seen: only the one without headers.
#
# Software:  grpcio 1.85.3 (PyPI), as client and server
# Observed on: 2026-11-29
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check grpcio==1.85.3

"$work/venv/bin/python" - <<'PYTHON'
import json
import sys
from concurrent import futures

import grpc

calls = []


class Service(grpc.GenericRpcHandler):
    def service(self, details):
        name = details.method.rpartition("/")[2]

        def deny(_, context):
            calls.append(name)
            if name == "Headers":
                context.send_initial_metadata((("x-region", "eu"),))
            elif name == "Trailers":
                context.set_trailing_metadata((("x-region", "eu"),))
            context.abort(grpc.StatusCode.UNAVAILABLE, "Maintenance until 10:00")

        return grpc.unary_unary_rpc_method_handler(deny)


server = grpc.server(futures.ThreadPoolExecutor(4))
server.add_generic_rpc_handlers((Service(),))
port = server.add_insecure_port("127.0.0.1:0")
server.start()
policy = json.dumps({"methodConfig": [{"name": [{}], "retryPolicy": {
    "maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "0.1s", "backoffMultiplier": 1,
    "retryableStatusCodes": ["UNAVAILABLE"]}}]})


def call(name, options):
    """Returns the status and the message that the client sees, and the number of requests."""
    calls.clear()
    with grpc.insecure_channel(f"127.0.0.1:{port}", options) as channel:
        try:
            channel.unary_unary(f"/example.Service/{name}")(b"", timeout=3)
            return "no error"
        except grpc.RpcError as error:
            return error.code().name, error.details(), len(calls)


print("grpcio", grpc.__version__)
# What the server sends besides the status, and whether the client retries: status, message and requests.
recorded = {
    ("Nothing", False): ("UNAVAILABLE", "Maintenance until 10:00", 1),
    ("Nothing", True): ("UNAVAILABLE", "Maintenance until 10:00", 4),
    ("Trailers", True): ("UNAVAILABLE", "Maintenance until 10:00", 4),
    ("Headers", True): ("UNAVAILABLE", "Maintenance until 10:00", 1),
}
observed = {}
for name, retries in recorded:
    result = call(name, [("grpc.service_config", policy)] if retries else [])
    observed[name, retries] = result
    print(f"{name}, {'with' if retries else 'without'} a retry policy: {result}")
server.stop(0)
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: the call is not repeated if headers came before the status")
PYTHON
