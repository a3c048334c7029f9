#!/usr/bin/env bash
#
# azure-core: every denial with Retry-After is sent again, such as a 426 for a POST.
#
# Expected:  the retry policy repeats temporary errors (408, 429, 500, 502, 503, 504). A 426 is
#            returned at once.
# Observed:  each status from 400 on with a Retry-After field is repeated, for each method, after
#            the time in that field. The list of statuses and the rules for methods (a POST that
#            gets 502 is not repeated) only apply to responses without it. By default, a call
#            repeats ten times. (A comment in the source says that; the documented list of statuses
#            does not.)
# Impact:    an API that denies an old build for an hour, as a warning before the deadline, sends
#            426 with Retry-After. A client that was generated on top of azure-core does not show
#            it: its call sleeps for that hour, and then sends the order again.
# Guess:     the 426 is returned at once; seen: after all retries.
#
# Software:  azure-core 1.41.0, requests 2.34.2 (PyPI)
# Observed on: 2026-11-29
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check azure-core==1.41.0 requests==2.34.2

cd "$work"
"$work/venv/bin/python" - <<'PYTHON'
import sys
import time
from importlib.metadata import version

from azure.core import PipelineClient
from azure.core.pipeline.policies import RetryPolicy
from azure.core.rest import HttpRequest

from gateways import serve

seen = []


def refuse(question):
    seen.append(question.command)
    status, _, seconds = question.path[1:].partition("/")
    return int(status), {"Retry-After": seconds} if seconds else {}, b"{}"


print("azure-core", version("azure-core"))
address = f"http://127.0.0.1:{serve(refuse)}"
client = PipelineClient(address, policies=[RetryPolicy(retry_total=2)])
# Method and path: status, requests, and whole seconds until the call returns.
recorded = {
    ("GET", "/200/1"): (200, 1, 0), ("GET", "/426"): (426, 1, 0), ("POST", "/502"): (502, 1, 0),
    ("GET", "/426/1"): (426, 3, 2), ("POST", "/426/1"): (426, 3, 2),
    ("POST", "/403/1"): (403, 3, 2),
}
observed = {}
for method, path in recorded:
    seen.clear()
    start = time.monotonic()
    status = client.send_request(HttpRequest(method, address + path)).status_code
    seconds = int(time.monotonic() - start)
    observed[method, path] = status, len(seen), seconds
    print(f"{method} {path}: status {status}, {len(seen)} requests, {seconds} seconds")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: a POST that gets 426 with Retry-After is sent three times")
PYTHON
