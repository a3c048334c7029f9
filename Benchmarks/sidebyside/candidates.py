"""The proxies that are compared, and their backend."""

import dataclasses
import re
from pathlib import Path

from . import allocationcount, callgrind, certificate
from .appcall import BACKEND_BODY, LARGE_BODY_BYTES, OUTDATED, VARY
from .packages import LUA_PACKAGE, PEERS_FOLDER, find_peer, nginx_modules
from .server import Server, free_port
from .setup import USUAL

FOLDER = Path(__file__).parent.parent
REFERENCE = "nginx-map"
GATE = "versiongate"


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A proxy: its program, and its arguments with placeholders as in peers/."""

    name: str
    program: str
    arguments: tuple
    version_argument: str

    def missing(self):
        """Returns why it cannot run here, or None."""
        if find_peer(self.program) is None:
            return f"there is no program {Path(self.program).name}"
        if self.name == "nginx-lua" and nginx_modules() is None:
            return f"nginx has no Lua module ({LUA_PACKAGE})"
        return None

    def version_command(self):
        return [find_peer(self.program), self.version_argument]

    def start(self, folder, backend_port, cores, setup=USUAL):
        """Starts it with its configuration rendered into a new folder."""
        port = free_port()
        folder.mkdir()
        values = placeholders(folder, port, backend_port, setup)
        render_templates(folder, values)
        arguments = [fill(each, values) for each in self.arguments]
        if self.name == GATE:
            arguments += gate_arguments(folder, setup, backend_port)
        environment = {"GOMAXPROCS": str(setup.threads)}
        if setup.preload:
            environment |= allocationcount.environment(setup.preload, folder)
        program = find_peer(self.program)
        if not setup.counted:
            return Server(self.name, [program, *arguments], port, cores, str(folder), environment)
        if self.name == GATE:
            program = callgrind.without_debug_information(program, folder)
        command = [*callgrind.command(folder, from_start=False), str(program), *arguments]
        return Server(
            self.name, command, port, cores, str(folder), environment,
            start_seconds=callgrind.START_SECONDS,
        )


def is_there(candidate):
    """Returns whether the candidate's programs are installed, and prints why it is not measured otherwise."""
    reason = candidate.missing()
    if reason:
        print(f"skipped: {candidate.name}: {reason}")
    return reason is None


def nginx(name):
    """An nginx with the template of that name."""
    # Without -e, it would first try to write to the distribution's error log.
    arguments = ("-p", "@FOLDER@/", "-e", "stderr", "-c", f"@FOLDER@/{name}.conf")
    return Candidate(name, "nginx", arguments, "-v")


def gate(path):
    arguments = (
        "serve", "--listen", "127.0.0.1:@PORT@", "--upstream", "http://127.0.0.1:@BACKEND_PORT@",
        "--threads", "@THREADS@", "--log-level", "warning",
    )
    return Candidate(GATE, str(path), arguments, "--version")


def gate_arguments(folder, setup, backend_port):
    """Returns the flags that only some setups need."""
    arguments = ["--rules", str(setup.rules)]
    if setup.counted:
        # Under callgrind, ten seconds contain so few requests that each would include a large share of a census
        # fetch, which thousands of requests share in practice. Benchmarks/observed.py measures the cost of a fetch.
        arguments += ["--census-interval", "3600"]
    if setup.routes:
        url = f"http://127.0.0.1:{backend_port}"
        arguments += ["--upstream-named", f"oldest={url},older={url},next={url}"]
    if setup.tls:
        arguments += ["--tls-certificate", f"{folder}/{certificate.CERTIFICATE}"]
        arguments += ["--tls-key", f"{folder}/{certificate.KEY}"]
    return arguments


BACKEND = nginx("backend")
PEERS = (
    nginx(REFERENCE),
    nginx("nginx-lua"),
    Candidate("haproxy", "haproxy", ("-db", "-f", "@FOLDER@/haproxy.cfg"), "-v"),
    Candidate(
        "caddy", "caddy",
        ("run", "--adapter", "caddyfile", "--config", "@FOLDER@/Caddyfile"), "version",
    ),
    Candidate(
        "envoy", str(PEERS_FOLDER / "envoy"),
        ("-c", "@FOLDER@/envoy.yaml", "--concurrency", "@THREADS@", "--disable-hot-restart",
         "-l", "error"),
        "--version",
    ),
)


def placeholders(folder, port, backend_port, setup):
    pair = f"{folder}/{certificate.PAIR}"
    tls = f"ssl_certificate {pair}; ssl_certificate_key {pair};"
    return {
        "FOLDER": str(folder),
        "PORT": str(port),
        "BACKEND_PORT": str(backend_port),
        "BACKEND_BODY": BACKEND_BODY,
        "NGINX_MODULES": nginx_modules() or "",
        "OUTDATED": OUTDATED,
        "VARY": VARY,
        "THREADS": str(setup.threads),
        "CLIENTS": str(setup.clients),
        "NGINX_ROUTES": "include nginx-routes.conf;" if setup.routes else "",
        "NGINX_BACKEND": "$routed" if setup.routes else "backend",
        "NGINX_PROCESSES": "master_process off;" if setup.counted else "",
        "NGINX_LISTEN": " ssl http2" if setup.tls else "",
        "NGINX_TLS": tls if setup.tls else "",
        "NGINX_BODIES": "include nginx-bodies.conf;" if setup.large_bodies else "",
        "HAPROXY_BIND": f" ssl crt {pair} alpn h2,http/1.1" if setup.tls else "",
        "HAPROXY_BODIES": "tune.bufsize 65536" if setup.large_bodies else "",
        "ENVOY_TLS": envoy_tls(pair) if setup.tls else "",
        "CADDY_SCHEME": "https" if setup.tls else "http",
        "CADDY_TLS": f"tls {pair} {pair}" if setup.tls else "",
    }


def envoy_tls(pair):
    """Returns the transport socket of the listener."""
    kind = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext"
    files = f"certificate_chain: {{ filename: {pair} }}, private_key: {{ filename: {pair} }}"
    context = f"alpn_protocols: [h2, http/1.1], tls_certificates: [{{ {files} }}]"
    typed = f'"@type": {kind}, common_tls_context: {{ {context} }}'
    return f"transport_socket: {{ name: tls, typed_config: {{ {typed} }} }}"


def fill(text, values):
    return re.sub(r"@([A-Z_]+)@", lambda match: values[match[1]], text)


def render_templates(folder, values):
    (folder / "temp").mkdir()
    (folder / "large").write_bytes(b"0123456789abcdef" * (LARGE_BODY_BYTES // 16))
    certificate.write_pair(folder)
    for template in (FOLDER / "peers").iterdir():
        (folder / template.name).write_text(fill(template.read_text(), values))
