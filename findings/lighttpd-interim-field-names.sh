#!/usr/bin/env bash
#
# lighttpd: over HTTP/2, a 103 from the backend has field names in upper case, so clients drop the denial.
#
# Expected:  interim responses of the backend are dropped, or forwarded with field names in lower case, as
#            HTTP/2 requires. The final response follows either way.
# Observed:  mod_proxy forwards a 103 with the names as the backend wrote them ("Link"), while the names of
#            final responses are converted. Such a response is malformed in HTTP/2: libcurl and hyper (Rust)
#            reset the stream, and the 426 that follows is lost; h2 (Python) tolerates it. Over HTTP/1.1, or
#            with the name in lower case, or for an interim response without fields, all return the 426.
# Impact:    apps that use HTTP/2 get a protocol error instead of the denial, and retry it like a network
#            error. Tests with HTTP/1.1 do not show it. The same happens to the responses of builds that pass.
# Guess:     the 426 over both protocols.
#
# Software:  lighttpd 1.4.69-1 (Debian 12); httpx 0.28.1, h2 4.4.1, pycurl 7.49.0,
#            pyreqwest 0.15.1 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check \
    httpx==0.28.1 h2==4.4.1 pycurl==7.49.0 pyreqwest==0.15.1

cd "$work"
apt-get download --quiet=2 lighttpd=1.4.69-1 libnettle8 libpcre2-8-0 libxxhash0 \
    2> download.log || { cat download.log >&2; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
architecture=$(uname -m)-linux-gnu
root/usr/sbin/lighttpd -v 2> /dev/null | sed -n 1p || true
cat > template <<'CONFIGURATION'
server.bind = "127.0.0.1"
server.port = @port@
server.document-root = "/var/empty"
server.modules = ("mod_proxy")
proxy.server = ("/" => (("host" => "127.0.0.1", "port" => @backend@)))
CONFIGURATION

LIBRARIES="$work/root/usr/lib/$architecture" venv/bin/python - <<'PYTHON'
import io
import os
import socketserver
import sys
import threading

import httpx
import pycurl
from pyreqwest.client import SyncClientBuilder
from pyreqwest.exceptions import RequestError

from gateways import free_port, running

INTERIM = {
    "/none": b"",
    "/103": b"HTTP/1.1 103 Early Hints\r\nLink: </app.css>; rel=preload\r\n\r\n",
    "/103-in-lower-case": b"HTTP/1.1 103 Early Hints\r\nlink: </app.css>; rel=preload\r\n\r\n",
    "/103-without-fields": b"HTTP/1.1 103 Early Hints\r\n\r\n",
}
DENIAL = b"HTTP/1.1 426 Upgrade Required\r\nX-VersionGate: require\r\nContent-Length: 14\r\n\r\nPlease update."


class Backend(socketserver.StreamRequestHandler):
    """Answers one request of each connection, for which lighttpd sends "Connection: close"."""

    def handle(self):
        path = self.rfile.readline().split()[1].decode()
        while self.rfile.readline().strip():
            pass
        self.wfile.write(INTERIM[path] + DENIAL)


def by_httpx(address, http2):
    with httpx.Client(http1=not http2, http2=http2, timeout=10) as client:
        try:
            response = client.get(address)
        except httpx.HTTPError as error:
            return type(error).__name__
        return f"{response.status_code} {response.text}"


def by_curl(address, http2):
    body = io.BytesIO()
    curl = pycurl.Curl()
    curl.setopt(pycurl.URL, address)
    curl.setopt(pycurl.TIMEOUT, 10)
    curl.setopt(pycurl.WRITEDATA, body)
    version = pycurl.CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE if http2 else pycurl.CURL_HTTP_VERSION_1_1
    curl.setopt(pycurl.HTTP_VERSION, version)
    try:
        curl.perform()
    except pycurl.error as error:
        return f"curl error {error.args[0]}"
    return f"{curl.getinfo(pycurl.RESPONSE_CODE)} {body.getvalue().decode()}"


def by_hyper(address, http2):
    builder = SyncClientBuilder()
    builder = builder.http2_prior_knowledge() if http2 else builder.http1_only()
    with builder.build() as client:
        try:
            response = client.get(address).build().send()
            return f"{response.status} {response.text()}"
        except RequestError as error:
            return type(error).__name__


backend = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Backend)
backend.daemon_threads = True
threading.Thread(target=backend.serve_forever, daemon=True).start()
denied = "426 Please update."
# Path and protocol: results of httpx, curl and hyper.
recorded = {(path, http2): (denied, denied, denied) for path in INTERIM for http2 in (False, True)}
recorded["/103", True] = denied, "curl error 92", "ConnectError"
observed = {}
port = free_port()
command = ["env", "LD_LIBRARY_PATH=" + os.environ["LIBRARIES"], "root/usr/sbin/lighttpd", "-D",
           "-f", "lighttpd.conf", "-m", "root/usr/lib/lighttpd"]
with running(command, "lighttpd.conf", port, backend=backend.server_address[1]):
    for path, http2 in recorded:
        address = f"http://127.0.0.1:{port}{path}"
        result = tuple(client(address, http2) for client in (by_httpx, by_curl, by_hyper))
        observed[path, http2] = result
        print(f"{path}, HTTP/{2 if http2 else 1.1}: httpx {result[0]}; curl {result[1]}; hyper {result[2]}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: over HTTP/2, a 103 with a field hides the denial")
PYTHON
