"""A self-signed certificate for 127.0.0.1."""

import subprocess
from pathlib import Path

CERTIFICATE = "certificate.pem"
KEY = "key.pem"
# Certificate and key in one file.
PAIR = "pair.pem"

# One pair for all candidates, created once.
_made = {}


def write_pair(folder):
    """Writes the pair into a folder. ECDSA P-256 is what most sites use today."""
    if not _made:
        make(folder)
    for name, content in _made.items():
        Path(folder, name).write_bytes(content)


def make(folder):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-keyout", KEY, "-out", CERTIFICATE, "-days", "30", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,DNS:api.example.com,IP:127.0.0.1"],
        cwd=folder, check=True, capture_output=True, timeout=30,
    )
    certificate, key = (Path(folder, name).read_bytes() for name in (CERTIFICATE, KEY))
    _made.update({CERTIFICATE: certificate, KEY: key, PAIR: certificate + key})
