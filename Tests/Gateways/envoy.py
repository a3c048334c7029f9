"""Envoy: the filter `ext_authz`, with the gRPC service of the gate or with HTTP."""

import blocks
from gateway import OTHER, Gateway

FAILS_OPEN = "failure_mode_allow: true"


class Envoy(Gateway):
    key, title, page = "envoy-grpc", "Envoy, gRPC", "envoy.md"
    program, version_arguments = "envoy", ("--version",)
    arguments = (
        "-c", "envoy.yaml", "--log-level", "error", "--concurrency", "1", "--use-dynamic-base-id",
        "--file-flush-interval-msec", "200",
    )
    files = changed = ("envoy.yaml",)

    def configuration(self, files, variant):
        found = super().configuration(files, variant)
        if variant == OTHER:
            found = {name: blocks.without_lines(text, FAILS_OPEN) for name, text in found.items()}
        return found


class EnvoyHTTP(Envoy):
    """The alternative on the page: authorization requests over HTTP."""

    key, title = "envoy-http", "Envoy, HTTP"
    arguments = ("-c", "envoy-http.yaml", *Envoy.arguments[2:])
    files = changed = ("envoy-http.yaml",)


GATEWAYS = (Envoy, EnvoyHTTP)
