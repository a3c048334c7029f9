"""Paths, and the parts of the client matrix that this harness shares: free ports, a test certificate, server processes."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DOCS = ROOT / "docs" / "gateways"
BUILT = ROOT / ".build" / "gateways-run"
WHEELS = ROOT / ".build" / "gateways"

sys.path.append(str(HERE.parent / "ClientMatrix"))

from matrix.places import PATH, Certificate, free_ports, program  # noqa: E402, F401
from matrix.proxies import version_of  # noqa: E402, F401
from matrix.servers import Process  # noqa: E402, F401
