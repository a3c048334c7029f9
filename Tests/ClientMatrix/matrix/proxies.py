"""The proxies in front of the gate."""

import re
import subprocess
from dataclasses import dataclass

from .places import PATH, SERVERS, program
from .servers import Server, filled

@dataclass(frozen=True)
class Kind:
    title: str
    program: str
    template: str
    arguments: tuple
    asks_version: tuple


def caddy(title, template):
    return Kind(title, "caddy", template, ("run", "--config", template, "--adapter", "caddyfile"), ("version",))


def traefik(title, template):
    return Kind(title, "traefik", template, (f"--configfile={template}",), ("version",))


def envoy(title, template):
    arguments = ("-c", template, "--log-level", "error", "--concurrency", "1", "--use-dynamic-base-id")
    return Kind(title, "envoy", template, arguments, ("--version",))


PROXIES = {
    "nginx": Kind("nginx", "nginx", "nginx.conf", ("-e", "stderr", "-p", ".", "-c", "nginx.conf"), ("-v",)),
    "haproxy": Kind("HAProxy", "haproxy", "haproxy.cfg", ("-db", "-f", "haproxy.cfg"), ("-v",)),
    "caddy": caddy("Caddy", "Caddyfile"),
    "caddy-buffering": caddy("Caddy, buffering", "buffering.Caddyfile"),
    "traefik": traefik("Traefik", "traefik.toml"),
    "traefik-buffering": traefik("Traefik, buffering", "buffering.traefik.toml"),
    "envoy": envoy("Envoy", "envoy.yaml"),
    "envoy-buffering": envoy("Envoy, buffering", "buffering.envoy.yaml"),
}


def version_of(name, arguments):
    """Returns the first version number in the output of a program."""
    done = subprocess.run([program(name), *arguments], capture_output=True, text=True, env={"PATH": PATH, "HOME": "/"})
    found = re.search(r"\d+\.\d+\.\d+", done.stdout + done.stderr)
    return found[0] if found else ""


class Proxy(Server):
    def __init__(self, name, folder, gate, certificate):
        super().__init__(f"behind-{name}", folder)
        kind = PROXIES[name]
        if not program(kind.program):
            raise RuntimeError(f"there is no {kind.program}: dev/install-peers.sh and dev/install-packages.sh install it")
        (folder / "temp").mkdir()
        values = {
            "PORT": self.port, "TLS_PORT": self.tls_port, "GATE_PORT": gate.port, "BOTH": certificate.both,
            "CERTIFICATE": certificate.certificate, "KEY": certificate.key,
        }
        (folder / kind.template).write_text(filled((SERVERS / kind.template).read_text(), values))
        self.version = version_of(kind.program, kind.asks_version)
        self.start([program(kind.program), *kind.arguments], environment={"HOME": str(folder)})
