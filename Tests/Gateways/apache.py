"""Apache: it has no module that asks over HTTP, so the gate is a proxy in front of it."""

from gateway import CLIENTS, TLS, Gateway
from gate import Gate
from places import Process, free_ports

MODULES = ("mpm_event", "authz_core", "proxy", "proxy_http", "proxy_http2", "http2", "rewrite", "headers")
BEHIND = 8079


class Apache(Gateway):
    key, title, page, fails = "apache", "Apache behind the gate", "apache.md", "the gate is the proxy"
    program, asks_version = "apache2", ("-v",)
    arguments = ("-D", "FOREGROUND", "-d", ".", "-f", "apache.conf")
    files = ("apache.conf",)

    def make_gate(self):
        self.ports[BEHIND], = free_ports(1)
        clients, tls = self.ports[CLIENTS], self.ports[TLS]
        return Gate(self.folder / "gate", self.executable, clients, [
            "--listen", f"127.0.0.1:{clients}", "--tls-listen", f"127.0.0.1:{tls}",
            "--tls-certificate", self.certificate.certificate, "--tls-key", self.certificate.key,
            "--upstream", f"h2c://127.0.0.1:{self.ports[BEHIND]}", "--upstream-protocol", "auto",
        ])

    def adapted(self, text):
        lines = [f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so" for name in MODULES]
        lines += ["PidFile apache.pid", "ErrorLog /dev/stderr", "ServerName localhost", "DefaultRuntimeDir ."]
        return "\n".join(lines) + "\n" + text

    def start_gateway(self):
        self.processes.append(Process(self.folder, [self.binary, *self.arguments], self.ports[BEHIND]))


GATEWAYS = (Apache,)
