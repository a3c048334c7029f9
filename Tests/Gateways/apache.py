"""Apache: it has no module that sends authorization requests over HTTP, so the gate is a proxy in front of it."""

from gateway import CLIENTS, ROUTES, TLS, Gateway
from gate import Gate
from places import Process

# The ports of Apache in the page.
BEHIND, BEHIND_LEGACY = 8079, 8078


class Apache(Gateway):
    key, title, page, fails = "apache", "Apache behind the gate", "apache.md", "the gate is the proxy"
    program, version_arguments = "apache2", ("-v",)
    arguments = ("-D", "FOREGROUND", "-d", ".", "-f", "apache.conf")
    files = changed = ("apache.conf",)
    variants = (ROUTES,)
    scheme = "http"

    def make_gate(self):
        self.ports |= {name: self.reserved.reserve() for name in (BEHIND, BEHIND_LEGACY)}
        clients, tls = self.ports[CLIENTS], self.ports[TLS]
        return Gate(self.folder / "gate", self.executable, clients, self.reserved.reserve(), [
            "--listen", f"127.0.0.1:{clients}", "--tls-listen", f"127.0.0.1:{tls}",
            "--tls-certificate", self.certificate.certificate, "--tls-key", self.certificate.key,
            "--upstream", f"{self.scheme}://127.0.0.1:{self.ports[BEHIND]}",
            "--upstream-named", f"legacy={self.scheme}://127.0.0.1:{self.ports[BEHIND_LEGACY]}",
        ])

    def start_gateway(self):
        self.gateway = Process(self.folder, [self.binary, *self.arguments], self.ports[BEHIND])
        self.processes.append(self.gateway)


class ApacheHTTP2(Apache):
    """The same with HTTP/2 between the gate and Apache, which gRPC needs."""

    key, title, scheme = "apache-h2c", "Apache behind the gate, `h2c://`", "h2c"


GATEWAYS = (Apache, ApacheHTTP2)
