"""The gateways that send an authorization request for each client request."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

from sidebyside.packages import PEERS_FOLDER, find_peer, find_program
from sidebyside.server import Server, free_port

from .authorizers import PEERS, SHARED, absent, nginx_command, render

AUTHZ = "type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthz"
ENVOY = str(PEERS_FOLDER / "envoy")


@dataclasses.dataclass(frozen=True)
class Gateway:
    """A gateway: its templates, and the lines that make it send authorization requests."""

    name: str
    templates: tuple
    authorization: str
    command: Callable[[Path], list]
    version: tuple
    missing: Callable[[], str | None]

    def version_command(self):
        return list(self.version)

    def start(self, folder, cores, backend_port, authorizer_port):
        """Starts it on a free port, with one thread; without an authorizer, it sends no authorization requests."""
        folder.mkdir()
        values = self.values(backend_port, authorizer_port)
        render(folder, values, *self.templates)
        server = Server(self.name, self.command(folder), int(values["PORT"]), cores, str(folder))
        server.wait_until_listening()
        return server

    def values(self, backend_port, authorizer_port):
        """Returns the values of the placeholders in the templates."""
        return {
            "PORT": str(free_port()), "BACKEND_PORT": str(backend_port), "NGINX_BACKEND": "backend",
            # Without an authorizer, this port is not used.
            "AUTHORIZER_PORT": str(authorizer_port or 9),
            "AUTHORIZATION": self.authorization if authorizer_port else "",
        }


def nginx():
    parts = ("nginx-common.conf", "nginx-upstream.conf", "nginx-proxy.conf")
    return Gateway(
        "nginx", (PEERS / "nginx.conf", *(SHARED / each for each in parts)), "auth_request /_decide;",
        lambda folder: nginx_command(folder, "nginx.conf"), (find_program("nginx") or "nginx", "-v"),
        lambda: absent("nginx"),
    )


def envoy():
    service = "transport_api_version: V3, grpc_service: { envoy_grpc: { cluster_name: authorizer }, timeout: 0.5s }"
    authorization = f'- {{ name: envoy.filters.http.ext_authz, typed_config: {{ "@type": {AUTHZ}, {service} }} }}'
    return Gateway(
        "envoy", (PEERS / "envoy.yaml",), authorization,
        lambda folder: [find_peer(ENVOY), "-c", f"{folder}/envoy.yaml", "--concurrency", "1",
                        "--disable-hot-restart", "-l", "error"],
        (ENVOY, "--version"),
        lambda: None if find_peer(ENVOY) else "there is no Envoy: dev/install-peers.sh fetches it",
    )
