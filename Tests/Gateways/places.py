"""Paths, and the parts of the client matrix that this harness shares: ports, a test certificate, processes."""

import socket
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DOCS = ROOT / "docs" / "gateways"
BUILT = ROOT / ".build" / "gateways-run"
WHEELS = ROOT / ".build" / "gateways"

sys.path.append(str(HERE.parent / "ClientMatrix"))

from matrix.places import PATH, Certificate, program  # noqa: E402, F401
from matrix.proxies import version_of  # noqa: E402, F401
from matrix.servers import Process  # noqa: E402, F401


class Ports:
    """Reserved ports of 127.0.0.1, on which only programs that set SO_REUSEADDR can listen, like all servers here.

    A port that is merely free could be taken by a connection of another test before the server starts.
    """

    def __init__(self):
        self.sockets = []

    def reserve(self):
        reserved = socket.socket()
        self.sockets.append(reserved)
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved.bind(("127.0.0.1", 0))
        return reserved.getsockname()[1]

    def close(self):
        for reserved in self.sockets:
            reserved.close()
