#!/usr/bin/env bash
#
# PHP: after two interim responses, the http wrapper returns the head of a 426 as content, with the status 103.
#
# Expected:  the http wrapper of file_get_contents() and fopen() skips all interim responses (100, 102, 103), and
#            returns the final response (RFC 9110, 15.2).
# Observed:  it skips the first interim response only, and takes the second one as the final response. With
#            ignore_errors, the call returns the rest as the content: the status line, the fields and the body of the
#            426, or of a 200. $http_response_header has only the status 103. Without ignore_errors, the call fails,
#            also for a 200. PHP's curl extension returns the final response.
# Impact:    a backend may send several 103, and a proxy adds those of others: with Caddy's forward_auth, the
#            authorizer's 103 comes before the backend's (caddy-forward-auth-interim-responses.sh). Code that reads
#            the bodies of denials uses ignore_errors and checks for a status of 400 or higher: a denial is no error
#            then, and the content of a 200 is damaged. One 103 has no such effect, so a test with one does not show it.
# Guess:     the 426, as after one 103.
#
# Software:  php8.2-cli and php8.2-curl 8.2.36-1~deb12u1 (Debian 12)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
apt-get download --quiet=2 php8.2-cli=8.2.36-1~deb12u1 php8.2-curl=8.2.36-1~deb12u1 libargon2-1 libedit2 libicu72 \
    libmagic1 libpcre2-8-0 libsodium23 libssl3 libxml2 libcurl4 libnghttp2-14 librtmp1 libssh2-1 libpsl5 \
    libldap-2.5-0 libsasl2-2 libbrotli1 2> download.log || { cat download.log >&2; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
libraries="$work/root/usr/lib/$(uname -m)-linux-gnu"
extension=$(find "$work/root" -name curl.so)

cat > ask.php <<'PHP'
<?php
[, $client, $address] = $argv;
if ($client === "version") {
    echo "PHP ", PHP_VERSION;
    exit;
}
if ($client === "curl") {
    $handle = curl_init($address);
    curl_setopt($handle, CURLOPT_RETURNTRANSFER, true);
    $content = curl_exec($handle);
    $status = curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
} else {
    $context = stream_context_create(["http" => ["ignore_errors" => $client === "ignore_errors"]]);
    $content = @file_get_contents($address, false, $context);
    $status = (int) explode(" ", $http_response_header[0])[1];
}
echo json_encode([$status, $content]);
PHP

export LD_LIBRARY_PATH="$libraries" PHP="root/usr/bin/php8.2 -n -d extension=$extension"
$PHP ask.php version ""
echo
python3 - <<'PYTHON'
import contextlib
import http.server
import json
import os
import subprocess
import sys
import threading

BODIES = {"200": '{"orders": []}', "426": '{"title": "Update required"}'}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        """Answers /103/103/426 with two interim responses and a final one."""
        *interim, final = self.path.strip("/").split("/")
        for status in interim:
            self.send_response_only(int(status))
            if status == "103":
                self.send_header("Link", "</style.css>; rel=preload")
            self.end_headers()
        self.send_response_only(int(final))
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        with contextlib.suppress(BrokenPipeError):
            self.wfile.write(BODIES[final].encode())

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()


def ask(client, path):
    address = f"http://127.0.0.1:{server.server_port}{path}"
    command = [*os.environ["PHP"].split(), "ask.php", client, address]
    output = subprocess.run(command, capture_output=True, text=True, timeout=30).stdout
    return tuple(json.loads(output))


ok, denial = BODIES["200"], BODIES["426"]
HEAD = {status: f"HTTP/1.0 {status} {phrase}\r\nContent-Type: application/json\r\n\r\n"
        for status, phrase in [("200", "OK"), ("426", "Upgrade Required")]}
# Client and responses: status, and content or False.
recorded = {
    ("file_get_contents", "/103/200"): (200, ok),
    ("file_get_contents", "/103/426"): (426, False),
    ("file_get_contents", "/103/103/200"): (103, False),
    ("ignore_errors", "/426"): (426, denial),
    ("ignore_errors", "/103/426"): (426, denial),
    ("ignore_errors", "/103/103/426"): (103, HEAD["426"] + denial),
    ("ignore_errors", "/102/103/426"): (103, HEAD["426"] + denial),
    ("ignore_errors", "/103/103/200"): (103, HEAD["200"] + ok),
    ("curl", "/103/103/426"): (426, denial),
    ("curl", "/103/103/200"): (200, ok),
}
observed = {}
for client, path in recorded:
    status, content = observed[client, path] = ask(client, path)
    print(f"{client} {path}: status {status}, content {content!r}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: after two 103, the status is 103, and the head of the 426 is content")
PYTHON
