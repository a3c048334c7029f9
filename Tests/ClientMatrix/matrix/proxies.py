"""The proxies in front of the gate."""

import re
import subprocess
from dataclasses import dataclass, replace

from .places import PATH, SERVERS, program
from .servers import Server, filled

@dataclass(frozen=True)
class Kind:
    title: str
    program: str
    template: str
    arguments: tuple
    asks_version: tuple
    # What makes the proxy connect to the gate over HTTP/1.1 or HTTP/2, for `@GATE_HTTP@` in the template.
    gate_http: str = ""
    # Whether the gate waits for whole uploads before it denies them.
    gate_waits: bool = False


def haproxy(title, gate_http=""):
    return Kind(title, "haproxy", "haproxy.cfg", ("-db", "-f", "haproxy.cfg"), ("-v",), gate_http)


def caddy(title, template, gate_http="http"):
    arguments = ("run", "--config", template, "--adapter", "caddyfile")
    return Kind(title, "caddy", template, arguments, ("version",), gate_http)


def traefik(title, template, gate_http="http"):
    return Kind(title, "traefik", template, (f"--configfile={template}",), ("version",), gate_http)


def envoy(title, template, gate_http="http_protocol_options"):
    arguments = ("-c", template, "--log-level", "error", "--concurrency", "1", "--use-dynamic-base-id")
    return Kind(title, "envoy", template, arguments, ("--version",), gate_http)


PLAIN = {
    "nginx": Kind("nginx", "nginx", "nginx.conf", ("-e", "stderr", "-p", ".", "-c", "nginx.conf"), ("-v",)),
    "haproxy": haproxy("HAProxy"),
    "caddy": caddy("Caddy", "Caddyfile"),
    "caddy-buffering": caddy("Caddy, buffering", "buffering.Caddyfile"),
    "traefik": traefik("Traefik", "traefik.toml"),
    "traefik-buffering": traefik("Traefik, buffering", "buffering.traefik.toml"),
    "envoy": envoy("Envoy", "envoy.yaml"),
    "envoy-buffering": envoy("Envoy, buffering", "buffering.envoy.yaml"),
    "haproxy-h2": haproxy("HAProxy, h2", gate_http="proto h2"),
    "caddy-h2": caddy("Caddy, h2", "Caddyfile", gate_http="h2c"),
    "traefik-h2": traefik("Traefik, h2", "traefik.toml", gate_http="h2c"),
    "envoy-h2": envoy("Envoy, h2", "envoy.yaml", gate_http="http2_protocol_options"),
}
PROXIES = PLAIN | {
    f"{name}-waiting": replace(PLAIN[name], title=f"{PLAIN[name].title}, waiting", gate_waits=True)
    for name in ("caddy", "traefik", "envoy")
}
# What makes the gate wait, as in the guide.
WAITING = ("--max-awaited-bytes", "33554432", "--await-timeout", "30")


def version_of(name, arguments):
    """Returns the first version number in the output of a program."""
    done = subprocess.run([program(name), *arguments], capture_output=True, text=True, env={"PATH": PATH, "HOME": "/"})
    found = re.search(r"\d+\.\d+\.\d+", done.stdout + done.stderr)
    return found[0] if found else ""


class Proxy(Server):
    def __init__(self, name, folder, gate, certificate):
        super().__init__(f"behind-{name}", folder)
        self.gate = gate
        kind = PROXIES[name]
        if not program(kind.program):
            raise RuntimeError(f"there is no {kind.program}: dev/install-peers.sh and dev/install-packages.sh install it")
        (folder / "temp").mkdir()
        values = {
            "PORT": self.port, "TLS_PORT": self.tls_port, "GATE_PORT": gate.port, "GATE_HTTP": kind.gate_http,
            "BOTH": certificate.both, "CERTIFICATE": certificate.certificate, "KEY": certificate.key,
        }
        (folder / kind.template).write_text(filled((SERVERS / kind.template).read_text(), values))
        self.version = version_of(kind.program, kind.asks_version)
        self.start([program(kind.program), *kind.arguments], environment={"HOME": str(folder)})
