#!/usr/bin/env bash
#
# wget2: exits with 0 after a 426, and after most other responses with an error status.
#
# Expected:  wget2 exits with 8 ("Server issued an error response" in its manual), as wget does.
# Observed:  only 404 has the exit code 8, and 401 has 6. After 400, 403, 410, 426, 429, 500 or 503, wget2
#            exits with 0, without an output file. With --quiet, nothing is printed.
# Impact:    in a script, "wget2 … && next step" continues after a denial, an error of the gateway or maintenance,
#            without the data.
# Guess:     8 for each status of 400 or higher.
#
# Software:  wget2 1.99.1-2.2, wget 1.21.3-1+deb12u1 (Debian 12)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
apt-get download --quiet=2 wget2=1.99.1-2.2 libwget0=1.99.1-2.2 libgpgme11 libassuan0 wget=1.21.3-1+deb12u1 \
    2> download.log || { cat download.log >&2; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
export LD_LIBRARY_PATH=$work/root/usr/lib:$work/root/usr/lib/$(uname -m)-linux-gnu
export HOME=$work

root/usr/bin/wget2 --version | sed -n 1p
root/usr/bin/wget --version | sed -n 1p
python3 - <<'PYTHON'
import http.server
import pathlib
import subprocess
import sys
import threading


class Backend(http.server.BaseHTTPRequestHandler):
    """Answers with the status in the path."""

    def do_GET(self):
        content = b'{"title": "Update required"}'
        self.send_response(int(self.path[1:]))
        self.send_header("Content-Type", "application/problem+json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


backend = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Backend)
threading.Thread(target=backend.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{backend.server_address[1]}"
# Status: exit code of wget2, exit code of wget, size of wget2's output file (None: there is no file).
recorded = {200: (0, 0, 28), 401: (6, 6, None), 404: (8, 8, None)}
for status in 400, 403, 410, 426, 429, 500, 503:
    recorded[status] = (0, 8, None)
observed = {}
for status in recorded:
    codes = []
    for program in "wget2", "wget":
        command = [f"root/usr/bin/{program}", "--tries=1", "--quiet", "-O", f"{program}-{status}"]
        codes.append(subprocess.run([*command, f"{address}/{status}"], timeout=60).returncode)
    output = pathlib.Path(f"wget2-{status}")
    observed[status] = (*codes, output.stat().st_size if output.exists() else None)
    size = "no output" if observed[status][2] is None else f"{observed[status][2]} bytes"
    print(f"{status}: wget2 exits with {codes[0]} ({size}), wget with {codes[1]}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: wget2 exits with 0 after a 426")
PYTHON
