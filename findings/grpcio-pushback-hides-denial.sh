#!/usr/bin/env bash
#
# grpcio: with a pushback beyond the deadline, a denial becomes DEADLINE_EXCEEDED.
#
# Expected:  "grpc-retry-pushback-ms: 60000" forbids a retry for a minute. A call with a deadline of 3
#            seconds can no longer be retried, so it returns the response: UNAVAILABLE, with the message
#            "Maintenance until 10:00".
# Observed:  if a retry policy includes UNAVAILABLE, the call waits for its deadline, and returns
#            DEADLINE_EXCEEDED without the message and the metadata of the response. Without a policy,
#            without the field, or with -1, it returns the response.
# Impact:    the field, which protects a server in maintenance from retries, delays every call of an app by
#            its whole deadline, and the app shows a timeout instead of the end of the maintenance.
# Guess:     UNAVAILABLE at once; seen: DEADLINE_EXCEEDED after 3 seconds.
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
import time
from concurrent import futures

import grpc

calls = []


class Service(grpc.GenericRpcHandler):
    def service(self, details):
        name = details.method.rpartition("/")[2]

        def deny(_, context):
            calls.append(name)
            if name != "None":
                context.set_trailing_metadata((("grpc-retry-pushback-ms", name),))
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
    """Returns the status and the message that the client sees, the requests, and when the call returns."""
    calls.clear()
    start = time.monotonic()
    with grpc.insecure_channel(f"127.0.0.1:{port}", options) as channel:
        try:
            channel.unary_unary(f"/example.Service/{name}")(b"", timeout=3)
            return "no error"
        except grpc.RpcError as error:
            when = "early" if time.monotonic() - start < 2.5 else "at the deadline"
            return error.code().name, error.details(), len(calls), when


print("grpcio", grpc.__version__)
# Pushback in milliseconds, and whether the client retries: status, message, requests and when.
recorded = {
    (None, False): ("UNAVAILABLE", "Maintenance until 10:00", 1, "early"),
    (60000, False): ("UNAVAILABLE", "Maintenance until 10:00", 1, "early"),
    (None, True): ("UNAVAILABLE", "Maintenance until 10:00", 4, "early"),
    (-1, True): ("UNAVAILABLE", "Maintenance until 10:00", 1, "early"),
    (60000, True): ("DEADLINE_EXCEEDED", "Deadline Exceeded", 1, "at the deadline"),
}
observed = {}
for pushback, retries in recorded:
    result = call(pushback, [("grpc.service_config", policy)] if retries else [])
    observed[pushback, retries] = result
    print(f"pushback {pushback}, {'with' if retries else 'without'} a retry policy: {result}")
server.stop(0)
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: with a long pushback, the denial becomes DEADLINE_EXCEEDED")
PYTHON
