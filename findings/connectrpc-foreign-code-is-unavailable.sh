#!/usr/bin/env bash
#
# connectrpc: a denial whose JSON has a "code" of another vocabulary is "unavailable".
#
# Expected:  if an error has no valid Connect code, its code follows from the HTTP status, according to the
#            table in the protocol: 403 is permission_denied, and 426 is unknown.
# Observed:  this is so if the JSON has no "code". If it has a "code" that is not a Connect code, such as
#            "UPGRADE_REQUIRED" or 426, the error is unavailable, even with status 426 or 403.
# Impact:    a proxy without support for Connect denies old apps with its usual JSON, in which "code" is a
#            common member. "unavailable" is for temporary failures, so interceptors that retry them send
#            the call again, and the app shows "try again later" instead of the request to update.
# Guess:     unknown; seen: unavailable.
#
# Software:  connectrpc 0.13.0, protobuf 7.36.2 (PyPI)
# Observed on: 2026-11-29
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check connectrpc==0.13.0 protobuf==7.36.2

cd "$work"
"$work/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from connectrpc.client import ConnectClientSync
from connectrpc.compat import google_protobuf_binary_codec
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from google.protobuf.wrappers_pb2 import StringValue

from gateways import serve

print("connectrpc", version("connectrpc"))
# Status and content of the response: the code of the error.
recorded = {
    (426, '{"code":"failed_precondition","message":"Please update."}'): "failed_precondition",
    (426, '{"message":"Please update."}'): "unknown",
    (403, '{"message":"Please update."}'): "permission_denied",
    (426, '{"code":"UPGRADE_REQUIRED","message":"Please update."}'): "unavailable",
    (426, '{"code":426,"message":"Please update."}'): "unavailable",
    (403, '{"code":"UPGRADE_REQUIRED","message":"Please update."}'): "unavailable",
}
responses = list(recorded)


def deny(question):
    status, content = responses[int(question.headers["X-Case"])]
    return status, {"Content-Type": "application/json"}, content.encode()


method = MethodInfo(
    name="Call", service_name="example.Service", input=StringValue, output=StringValue,
    stream_type=StreamType.UNARY, idempotency_level=IdempotencyLevel.UNKNOWN)
observed = {}
with ConnectClientSync(f"http://127.0.0.1:{serve(deny)}", codec=google_protobuf_binary_codec()) as client:
    for number, (status, content) in enumerate(responses):
        try:
            client.execute_unary(
                request=StringValue(value="x"), method=method, headers={"X-Case": str(number)})
            code = "no error"
        except ConnectError as error:
            code = error.code.value
        observed[status, content] = code
        print(f"{status} {content}: {code}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print('as recorded: a 426 with the code "UPGRADE_REQUIRED" is "unavailable"')
PYTHON
