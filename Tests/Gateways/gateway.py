"""A gateway with the configuration of its page in docs/gateways, a gate, and a backend."""

import shutil
import sys

import blocks
import clients
from gate import Gate
from places import DOCS, HERE, Ports, Process, program, version_of

# The ports in the pages: HTTP/1.1 and TLS for clients, the gate, the backend, its gRPC port.
CLIENTS, TLS, DECISIONS, BACKEND, GRPC = 8080, 8443, 8090, 8081, 50051


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
    # Whether the page also has a configuration for the other choice about a gate that is slow or down.
    has_other_choice = True

    def __init__(self, folder, executable, certificate):
        self.folder, self.executable, self.certificate, self.processes = folder, executable, certificate, []
        folder.mkdir(parents=True)
        self.binary = self.find()
        if not self.binary:
            raise Missing(f"there is no {self.program}")
        self.version = self.find_version()
        self.reserved = Ports()
        self.ports = {name: self.reserved.reserve() for name in (CLIENTS, TLS, DECISIONS, BACKEND, GRPC)}
        self.port, self.tls_port, self.backend_port = (self.ports[name] for name in (CLIENTS, TLS, BACKEND))
        self.gate = self.make_gate()

    def find(self):
        return program(self.program)

    def find_version(self):
        return version_of(self.program, self.version_arguments)

    def make_gate(self):
        port, admin_port = self.ports[DECISIONS], self.reserved.reserve()
        return Gate(self.folder / "gate", self.executable, port, admin_port)

    def configuration(self, files, other):
        """Returns the files by name; with `other`, for the other choice about a gate that is slow or down.

        Raises PageError if the blocks of the page lack a part of it.
        """
        return {name: files[name] for name in self.files}

    def write(self, other=False):
        try:
            files = self.configuration(blocks.files((DOCS / self.page).read_text()), other)
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
        folder = self.folder / "backend"
        folder.mkdir()
        self.processes.append(Process(folder, [
            sys.executable, "-B", HERE / "backend.py", "--port", self.ports[BACKEND], "--grpc-port", self.ports[GRPC],
        ], self.ports[BACKEND]))
        self.gate.start()
        self.start_gateway()

    def start_gateway(self):
        command = [self.binary, *self.arguments]
        self.processes.append(Process(self.folder, command, self.port, {"HOME": str(self.folder)}))

    def curl(self, path, lines, *more):
        """Sends a request over HTTP/2."""
        return clients.curl(self.folder, self.certificate.authority, self.tls_port, path, lines, *more)

    def restart(self, other):
        """Restarts the gateway, with the other choice of its page or with the first one."""
        self.processes.pop().stop()
        self.write(other)
        self.start_gateway()

    def stop(self):
        self.gate.stop()
        for process in reversed(self.processes):
            process.stop()
        self.reserved.close()
