#!/usr/bin/env bash
#
# Varnish: a denial by synth(426) has "Retry-After: 5".
#
# Expected:  return (synth(426)) sends the status and a short page. Retry-After is for temporary errors,
#            and is only sent if the configuration sets it.
# Observed:  the built-in vcl_synth adds "Retry-After: 5" to every synthetic response, including 200 and
#            426. It also runs after the vcl_synth of the configuration, unless that ends with
#            return (deliver), and replaces its Retry-After, Content-Type and body.
# Impact:    clients that honor Retry-After for every error, such as those built on azure-core, send each
#            denied request of an old app again after five seconds. Apps that parse the body as JSON find
#            HTML.
# Guess:     no Retry-After.
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
backend none none;
sub vcl_recv {
    if (req.http.X-App-Version ~ "^3[.]4[.]") {
        return (synth(426, "Upgrade Required"));
    }
    return (synth(200));
}
sub vcl_synth {
    if (req.url == "/own" || req.url == "/own-deliver") {
        set resp.http.Retry-After = "3600";
        set resp.http.Content-Type = "application/json";
        set resp.body = """{"message":"Please update."}""";
        if (req.url == "/own-deliver") {
            return (deliver);
        }
    }
}
VCL

env -u LD_LIBRARY_PATH LIBRARIES="$LD_LIBRARY_PATH" python3 - <<'PYTHON'
import os
import sys

from gateways import free_port, request, running

# Path and version: status, Retry-After, type, and whether the body is JSON.
html = "text/html; charset=utf-8"
recorded = {
    ("/", "3.5.0"): (200, "5", html, False), ("/", "3.4.9"): (426, "5", html, False),
    ("/own", "3.4.9"): (426, "5", html, False),
    ("/own-deliver", "3.4.9"): (426, "3600", "application/json", True),
}
observed = {}
port = free_port()
command = ["env", "LD_LIBRARY_PATH=" + os.environ["LIBRARIES"], "./varnish", str(port)]
with running(command, "policy.vcl", port):
    for path, version in recorded:
        status, fields, body = request(port, path, {"X-App-Version": version})
        result = status, fields["Retry-After"], fields["Content-Type"], body.startswith("{")
        observed[path, version] = result
        print(f"{path} with {version}: {status}, Retry-After: {result[1]}, {result[2]}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print('as recorded: a 426 by synth() has "Retry-After: 5"')
PYTHON
