"""Envoy: the filter `ext_authz`, with the gRPC service of the gate or with HTTP."""

import blocks
from gateway import Gateway

FAILS_OPEN = "failure_mode_allow: true"


class Envoy(Gateway):
    key, title, page = "envoy-grpc", "Envoy, gRPC", "envoy.md"
    program, version_arguments = "envoy", ("--version",)
    arguments = (
        "-c", "envoy.yaml", "--log-level", "error", "--concurrency", "1", "--use-dynamic-base-id",
        "--file-flush-interval-msec", "200",
    )
    files = ("envoy.yaml",)

    def configuration(self, files, other):
        found = super().configuration(files, False)
        if other:
            found = {name: blocks.without_lines(text, FAILS_OPEN) for name, text in found.items()}
        return found


class EnvoyHTTP(Envoy):
    """The alternative on the page: authorization requests over HTTP."""

    key, title = "envoy-http", "Envoy, HTTP"
    arguments = ("-c", "envoy-http.yaml", *Envoy.arguments[2:])
    files = ("envoy-http.yaml",)


GATEWAYS = (Envoy, EnvoyHTTP)
