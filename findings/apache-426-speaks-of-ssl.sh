#!/usr/bin/env bash
#
# Apache: its page for 426 tells the user that the client does not support SSL.
#
# Expected:  the page for 426 is neutral ("Upgrade Required"), as the pages for 451 or 503 are.
# Observed:  it says "The requested resource can only be retrieved using SSL. [...] your client
#            doesn't support it". That was the meaning of 426 in RFC 2817, of the year 2000, but
#            there is no Upgrade field. "ProxyErrorOverride On" replaces the body of a backend's
#            426 by the same page.
# Impact:    a rule such as "RewriteRule ^ - [R=426]" for old versions of an app, or a backend
#            behind ProxyErrorOverride, shows its users a wrong cause. Those who read it look for a
#            problem with certificates, not for the update. "ErrorDocument 426" replaces the page.
# Guess:     a neutral page; seen: a page about SSL.
#
# Software:  apache2-bin 2.4.71-1~deb12u1 (Debian 12)
# Observed on: 2026-11-29
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

cd "$work"
apt-get download --quiet=2 apache2-bin=2.4.71-1~deb12u1 libapr1 libaprutil1 libpcre2-8-0 \
    2> download.log || { cat download.log >&2; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
libraries=$work/root/usr/lib/$(uname -m)-linux-gnu
LD_LIBRARY_PATH=$libraries root/usr/sbin/apache2 -v | sed -n 1p

cat > template <<'CONFIGURATION'
LoadModule mpm_event_module root/usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module root/usr/lib/apache2/modules/mod_authz_core.so
LoadModule proxy_module root/usr/lib/apache2/modules/mod_proxy.so
LoadModule proxy_http_module root/usr/lib/apache2/modules/mod_proxy_http.so
LoadModule rewrite_module root/usr/lib/apache2/modules/mod_rewrite.so
PidFile apache.pid
DefaultRuntimeDir .
ErrorLog error.log
ServerName localhost
Listen 127.0.0.1:@port@
RewriteEngine On
RewriteRule ^/rule/426 - [R=426]
RewriteRule ^/rule/451 - [R=451]
RewriteRule ^/rule/503 - [R=503]
ProxyPass /backend/ http://127.0.0.1:@backend@/
ProxyPass /override/ http://127.0.0.1:@backend@/
<Location /override/>
    ProxyErrorOverride On
</Location>
CONFIGURATION

python3 - "$libraries" <<'PYTHON'
import os
import sys

from gateways import free_port, request, running, serve

BODY = b'{"title":"Please update the app"}'
command = ["env", f"LD_LIBRARY_PATH={sys.argv[1]}", "root/usr/sbin/apache2", "-D", "FOREGROUND",
           "-d", os.getcwd(), "-f", "apache.conf"]
backend = serve(lambda _: (426, {"Content-Type": "application/json"}, BODY))
port = free_port()
# Path: status, media type, whether the body speaks of SSL, and the field Upgrade.
recorded = {
    "/rule/503": (503, "text/html", False, None),
    "/rule/451": (451, "text/html", False, None),
    "/rule/426": (426, "text/html", True, None),
    "/backend/": (426, "application/json", False, None),
    "/override/": (426, "text/html", True, None),
}
observed = {}
with running(command, "apache.conf", port, backend=backend):
    for path in recorded:
        status, fields, body = request(port, path)
        observed[path] = status, fields.get_content_type(), "using SSL" in body, fields["Upgrade"]
        print(f"{path}: status, type, SSL, Upgrade = {observed[path]}")
        if path == "/rule/426":
            print(body)

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: the page for 426 speaks of SSL")
PYTHON
