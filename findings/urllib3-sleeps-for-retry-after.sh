#!/usr/bin/env bash
#
# urllib3: a pool without settings sleeps for Retry-After, three times, before the app gets the 503.
#
# Expected:  urllib3.PoolManager().request("GET", url, timeout=1) returns the 503 at once, as it
#            does a 503 without Retry-After and a 426 with it; a call ends within about a second.
# Observed:  the default Retry(3) honors Retry-After on 413, 429 and 503: three times, the call sleeps
#            for the header's number of seconds (at most 6 hours) and retries; only then does it
#            return the last response. The timeout does not include the sleeps. POST is not
#            retried. requests sets Retry(0), and is not affected.
# Impact:    an app in maintenance blocks its thread for three times the rest of the window, and
#            shows the text of the 503 only after that. Servers should send Retry-After with a 503.
#            retries=False returns the response at once.
#
# Software:  urllib3 2.8.0 (PyPI)
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check urllib3==2.8.0

"$work/venv/bin/python" - <<'PYTHON'
import http.server
import sys
import threading
import time

import urllib3

BODY = b'{"title": "Maintenance", "message": "Back at nine."}'


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    requests = 0

    def do_GET(self):
        Handler.requests += 1
        self.send_response(int(self.path[1:4]))
        if self.path.endswith("later"):
            self.send_header("Retry-After", "2")
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    do_POST = do_GET

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print("urllib3", urllib3.__version__)

# Method, path, settings: status, requests that the server has received, whole seconds.
recorded = {
    ("GET", "/503", "default"): (503, 1, 0),
    ("GET", "/426/later", "default"): (426, 1, 0),
    ("POST", "/503/later", "default"): (503, 1, 0),
    ("GET", "/503/later", "retries=False"): (503, 1, 0),
    ("GET", "/503/later", "default"): (503, 4, 6),
}
observed = {}
for method, path, settings in recorded:
    Handler.requests = 0
    more = {"retries": False} if settings == "retries=False" else {}
    began = time.monotonic()
    address = f"http://127.0.0.1:{server.server_port}{path}"
    answer = urllib3.PoolManager().request(method, address, timeout=1, **more)
    seconds = int(time.monotonic() - began)
    observed[method, path, settings] = (answer.status, Handler.requests, seconds)
    print(f"{method} {path}, {settings}, timeout=1: status {answer.status} "
          f"after {Handler.requests} requests and {seconds} s")
server.shutdown()
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: a 503 with Retry-After: 2 takes 6 s, whatever the timeout")
PYTHON
