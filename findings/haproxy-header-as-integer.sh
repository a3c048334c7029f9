#!/usr/bin/env bash
#
# HAProxy: hdr_val() of a header with dots is a number that does not occur in the header.
#
# Expected:  req.hdr_val(x-app-build) of "93.1" is 93 (the digits up to the first other character),
#            as with req.hdr(x-app-build),add(0), or is 0 or unset.
# Observed:  the result is 9281, for "3.4.9" 28389, and for "93 (1)" 913203. Characters before "0" in
#            ASCII count as digits with a negative value: a dot is -2, a space -16. Only characters
#            after "9", such as letters, end the number ("93b1" is 93).
# Impact:    with "http-request deny if { req.hdr_val(x-app-build) lt 9000 }", build 93.1 passes,
#            and with hdr_val of the version and a floor of 4 (the major version), 3.4.9 passes.
#            Clients that send only the build (93) are compared correctly, so a first test
#            succeeds.
#
# Software:  haproxy 2.6.12-1+deb12u4 (Debian 12)
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
finish() {
    if [ -f "$work/haproxy.pid" ]; then kill "$(cat "$work/haproxy.pid")"; fi
    rm -rf "$work"
}
trap finish EXIT

cd "$work"
apt-get download --quiet=2 haproxy=2.6.12-1+deb12u4 liblua5.3-0 libpcre2-8-0 libssl3 \
    2> download.log || { cat download.log >&2; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done

cat > haproxy.cfg <<CONFIGURATION
defaults
  mode http
  timeout connect 5s
  timeout client 5s
  timeout server 5s
frontend builds
  bind unix@$work/builds.sock
  http-request set-var(txn.v) req.hdr_val(x-app-build)
  http-request set-var(txn.n) req.hdr(x-app-build),add(0)
  http-request return status 200 content-type text/plain lf-string "%[var(txn.v)] %[var(txn.n)]"
CONFIGURATION
LD_LIBRARY_PATH="$work/root/usr/lib/$(uname -m)-linux-gnu"
export LD_LIBRARY_PATH
root/usr/sbin/haproxy -v | sed -n 1p
# The command returns once the daemon listens.
root/usr/sbin/haproxy -D -p haproxy.pid -f haproxy.cfg

env -u LD_LIBRARY_PATH python3 - <<'PYTHON'
import socket
import sys

recorded = {
    "93": "93 93", "93.1": "9281 93", "93.10": "92810 93", "3.4.9": "28389 3",
    "93 (1)": "913203 93", "93b1": "93 93", "v3.4.9": "0 0",
}
observed = {}
for build in recorded:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect("builds.sock")
        fields = f"Host: example.com\r\nX-App-Build: {build}\r\nConnection: close\r\n"
        connection.sendall(f"GET / HTTP/1.1\r\n{fields}\r\n".encode())
        response = connection.makefile("rb").read().decode()
    observed[build] = response.partition("\r\n\r\n")[2]
    value, total = observed[build].split()
    print(f"X-App-Build: {build}: hdr_val() = {value}, hdr(),add(0) = {total}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: hdr_val() of 93.1 is 9281")
PYTHON
