"""Paths, and the ports and the certificate for all servers."""

import os
import shutil
import socket
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HERE = ROOT / "Tests" / "ClientMatrix"
PROGRAMS = HERE / "programs"
SERVERS = HERE / "servers"
BUILT = ROOT / ".build" / "client-matrix"
PEERS = ROOT / ".build" / "peers" / "bin"
PYTHON = ROOT / ".build" / "clients" / "bin"
NIQUESTS = ROOT / ".build" / "niquests" / "bin"
# Debian's programs have priority over others with the same name.
PATH = f"{PEERS}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:{os.environ.get('PATH', '')}"


def free_ports(count):
    """Returns different ports on 127.0.0.1 that are currently free."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def program(name):
    """Returns the path of a program, or None."""
    return shutil.which(name, path=PATH)


class Certificate:
    """A test CA, and a certificate for 127.0.0.1 and localhost."""

    def __init__(self, folder):
        self.authority, self.certificate, self.key = (
            folder / name for name in ("ca.pem", "certificate.pem", "key.pem")
        )
        self.both = folder / "both.pem"
        authority_key, request, extensions = folder / "ca-key.pem", folder / "request.pem", folder / "extensions"
        extensions.write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n")
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        for command in (
            ["req", "-x509", *curve, "-keyout", authority_key, "-out", self.authority, "-days", "30",
             "-subj", "/CN=Client matrix"],
            ["req", *curve, "-keyout", self.key, "-out", request, "-subj", "/CN=localhost"],
            ["x509", "-req", "-in", request, "-CA", self.authority, "-CAkey", authority_key, "-days", "30",
             "-extfile", extensions, "-out", self.certificate],
        ):
            subprocess.run(["openssl", *command], check=True, capture_output=True)
        self.both.write_text(self.certificate.read_text() + self.key.read_text())
