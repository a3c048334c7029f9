#!/usr/bin/env bash
#
# Varnish: a denial by synth() is not sent until the client has uploaded the whole body.
#
# Expected:  vcl_recv only needs the head of the request, so return (synth(426)) is sent at once. A client
#            with "Expect: 100-continue" gets the 426 instead of 100 Continue, and sends no body.
# Observed:  Varnish reads the body to its end, and then sends the 426. Requests with Expect get
#            100 Continue, although the policy denies them. Only std.late_100_continue(true) avoids that,
#            and only for requests with Expect.
# Impact:    an old app uploads a video of 30 MB over a mobile network to learn that it is too old, and
#            does so again for each attempt. Expect, which is designed to avoid that, makes no difference.
# Guess:     the 426 comes at once, with and without Expect.
#
# Software:  varnish 7.1.1-2+deb12u1 (Debian 12)
# Observed on: 2026-11-29
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

cd "$work"
# Varnish compiles its configuration with a C compiler: tcc is a small one.
apt-get download --quiet=2 varnish=7.1.1-2+deb12u1 libvarnishapi3 libbsd0 libedit2 libjemalloc2 libmd0 \
    libncursesw6 libpcre2-8-0 libtinfo6 tcc=0.9.27+git20200814.62c30a4a-1 libtcc-dev libc6-dev linux-libc-dev \
    2> download.log || { cat download.log >&2; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
architecture=$(uname -m)-linux-gnu
libraries=$work/root/usr/lib/$architecture
export LD_LIBRARY_PATH="$libraries:$libraries/varnish:$work/root/lib/$architecture"
cat > varnish <<VARNISH
#!/bin/sh
exec "$work/root/usr/sbin/varnishd" -F -j none -n "$work/instance" -a "127.0.0.1:\$1" -f "$work/policy.vcl" \\
    -p vmod_path="$libraries/varnish/vmods" -p cc_command="exec '$work/root/usr/bin/tcc' -B'$libraries/tcc' \\
    -I'$libraries/tcc/include' -I'$work/root/usr/include' -I'$work/root/usr/include/$architecture' \\
    -nostdlib -shared -o %o %s"
VARNISH
chmod +x varnish
root/usr/sbin/varnishd -V 2>&1 | sed -n 1p
cat > template <<'VCL'
vcl 4.1;
import std;
backend none none;
sub vcl_recv {
    if (req.url == "/late") {
        std.late_100_continue(true);
    }
    if (req.http.X-App-Version ~ "^3[.]4[.]") {
        return (synth(426, "Upgrade Required"));
    }
    return (synth(200));
}
VCL

env -u LD_LIBRARY_PATH LIBRARIES="$LD_LIBRARY_PATH" python3 - <<'PYTHON'
import os
import socket
import sys

from gateways import free_port, running

SIZE = 2_000_000


def answers(port, method, path, expect):
    """Returns what arrives after the head, after all but one byte of the body, and after the last one."""
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nX-App-Version: 3.4.9\r\n"
    if method == "POST":
        head += f"Content-Length: {SIZE}\r\n"
    if expect:
        head += "Expect: 100-continue\r\n"
    result = []
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.settimeout(1.5)
        for part in (head + "\r\n").encode(), bytes(SIZE - 1), bytes(1):
            connection.sendall(part)
            try:
                line = connection.recv(65536).split(b"\r\n")[0].decode()
            except socket.timeout:
                line = "nothing"
            result.append(line)
            if line.startswith("HTTP/1.1 426"):
                break
    return result


denial = "HTTP/1.1 426 Upgrade Required"
recorded = {
    ("GET", "/", False): [denial],
    ("POST", "/", False): ["nothing", "nothing", denial],
    ("POST", "/", True): ["HTTP/1.1 100 Continue", "nothing", denial],
    ("POST", "/late", False): ["nothing", "nothing", denial],
    ("POST", "/late", True): [denial],
}
observed = {}
port = free_port()
command = ["env", "LD_LIBRARY_PATH=" + os.environ["LIBRARIES"], "./varnish", str(port)]
with running(command, "policy.vcl", port):
    for case in recorded:
        observed[case] = answers(port, *case)
        method, path, expect = case
        print(f"{method} {path}{', Expect' if expect else ''}: " + ", then ".join(observed[case]))
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: the 426 comes after the last byte of the upload")
PYTHON
