"""Apache: it has no module that sends authorization requests over HTTP, so the gate is a proxy in front of it."""

from gateway import CLIENTS, TLS, Gateway
from gate import Gate
from places import Process

BEHIND = 8079


class Apache(Gateway):
    key, title, page, fails = "apache", "Apache behind the gate", "apache.md", "the gate is the proxy"
    program, version_arguments = "apache2", ("-v",)
    arguments = ("-D", "FOREGROUND", "-d", ".", "-f", "apache.conf")
    files = ("apache.conf",)
    has_other_choice = False
    scheme = "http"

    def make_gate(self):
        self.ports[BEHIND] = self.reserved.reserve()
        clients, tls = self.ports[CLIENTS], self.ports[TLS]
        return Gate(self.folder / "gate", self.executable, clients, self.reserved.reserve(), [
            "--listen", f"127.0.0.1:{clients}", "--tls-listen", f"127.0.0.1:{tls}",
            "--tls-certificate", self.certificate.certificate, "--tls-key", self.certificate.key,
            "--upstream", f"{self.scheme}://127.0.0.1:{self.ports[BEHIND]}",
        ])

    def start_gateway(self):
        self.processes.append(Process(self.folder, [self.binary, *self.arguments], self.ports[BEHIND]))


class ApacheHTTP2(Apache):
    """The same with HTTP/2 between the gate and Apache, which gRPC needs."""

    key, title, scheme = "apache-h2c", "Apache behind the gate, `h2c://`", "h2c"


GATEWAYS = (Apache, ApacheHTTP2)
