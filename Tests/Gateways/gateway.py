"""A gateway with the configuration of its page in docs/gateways, a gate, and a backend."""

import shutil
import sys

import blocks
import clients
from gate import Gate
from places import DOCS, HERE, Ports, Process, program, version_of

# The ports in the pages: HTTP/1.1 and TLS for clients, the gate, the backend, its gRPC port, and the same of the backend
# for old builds.
PORTS = CLIENTS, TLS, DECISIONS, BACKEND, GRPC, LEGACY, LEGACY_GRPC = 8080, 8443, 8090, 8081, 50051, 8082, 50052
# The variants of the configuration: the other choice about a gate that is slow or down, and a second backend for old
# builds.
OTHER, ROUTES = "other", "routes"


class Missing(Exception):
    """A program is not installed."""


class Gateway:
    """One column of the table. A subclass defines how to start the program, and which blocks of its page it needs."""

    key = title = page = ""
    # The program, its arguments, and those that print its version.
    program, arguments, version_arguments = "", (), ()
    # The named blocks of the page that are written as files.
    files = ()
    # How the page configures the gateway for a gate that is slow or down: "open" or "closed".
    fails = "open"
    # The variants on the page.
    variants = (OTHER, ROUTES)
    # The files that change for ROUTES. The page has a diff for each.
    changed = ()

    def __init__(self, folder, executable, certificate):
        self.folder, self.executable, self.certificate, self.processes = folder, executable, certificate, []
        folder.mkdir(parents=True)
        self.binary = self.find()
        if not self.binary:
            raise Missing(f"there is no {self.program}")
        self.version = self.find_version()
        self.reserved = Ports()
        self.ports = {name: self.reserved.reserve() for name in PORTS}
        self.port, self.tls_port = self.ports[CLIENTS], self.ports[TLS]
        self.backend_port, self.legacy_port = self.ports[BACKEND], self.ports[LEGACY]
        self.gate = self.make_gate()

    def find(self):
        return program(self.program)

    def find_version(self):
        return version_of(self.program, self.version_arguments)

    def make_gate(self):
        port, admin_port = self.ports[DECISIONS], self.reserved.reserve()
        return Gate(self.folder / "gate", self.executable, port, admin_port)

    def configuration(self, files, variant):
        """Returns the files of a variant by name; the name of the first configuration on the page is "".

        Raises PageError if the blocks of the page lack a part of it.
        """
        found = {name: files[name] for name in self.files}
        for name in self.changed if variant == ROUTES else ():
            found[name] = blocks.patched(found[name], files[f"{name}.diff"])
        return found

    def write(self, variant=""):
        try:
            files = self.configuration(blocks.files((DOCS / self.page).read_text()), variant)
        except blocks.PageError as error:
            raise blocks.PageError(f"{self.page}: {error}") from error
        for name, text in files.items():
            (self.folder / name).write_text(self.adapted(blocks.with_ports(text, self.ports)))
        for name, source in (("cert.pem", "certificate"), ("key.pem", "key"), ("site.pem", "both")):
            shutil.copy(getattr(self.certificate, source), self.folder / name)

    def adapted(self, text):
        """Returns a configuration with what only the harness needs."""
        return text

    def start(self):
        self.write()
        self.start_backend("current", BACKEND, GRPC)
        self.start_legacy()
        self.gate.start()
        self.start_gateway()

    def start_backend(self, name, port, grpc_port):
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        self.processes.append(Process(folder, [
            sys.executable, "-B", HERE / "backend.py", "--name", name, "--port", self.ports[port],
            "--grpc-port", self.ports[grpc_port],
        ], self.ports[port]))
        return self.processes[-1]

    def start_legacy(self):
        self.legacy = self.start_backend("legacy", LEGACY, LEGACY_GRPC)

    def stop_legacy(self):
        self.processes.remove(self.legacy)
        self.legacy.stop()

    def start_gateway(self):
        command = [self.binary, *self.arguments]
        self.gateway = Process(self.folder, command, self.port, {"HOME": str(self.folder)})
        self.processes.append(self.gateway)

    def curl(self, path, lines, *more):
        """Sends a request over HTTP/2."""
        return clients.curl(self.folder, self.certificate.authority, self.tls_port, path, lines, *more)

    def restart(self, variant):
        """Restarts the gateway with another variant of its configuration."""
        self.processes.remove(self.gateway)
        self.gateway.stop()
        self.write(variant)
        self.start_gateway()

    def stop(self):
        self.gate.stop()
        for process in reversed(self.processes):
            process.stop()
        self.reserved.close()
