#!/usr/bin/env bash
#
# Apache 2.4.71: RewriteCond with -lt compares only the lowest 32 bits, so build 2611300713 is less than 93.
#
# Expected:  -lt compares integers, as documented. A build such as 2611300713, the date and time of a build for iOS,
#            is greater than 93, or the configuration is refused.
# Observed:  both numbers are reduced to 32 bits with a sign: 2611300713 is negative, and 4294967389 is equal to 93.
#            No error is reported. The operator -lt of expressions, as in "RewriteCond expr", compares 64 bits.
# Impact:    when the builds become dates, "-lt93" refuses the newest apps as too old. With the minimum
#            2512010000, every app with a small build such as 93 passes. Tests with builds up to 2147483647, which
#            include all builds that Android accepts, show no difference.
#
# Software:  apache2-bin 2.4.71-1~deb12u1 (Debian 12)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

cd "$work"
apt-get download --quiet=2 apache2-bin=2.4.71-1~deb12u1 libapr1 libaprutil1 libpcre2-8-0 \
    2> download.log || { cat download.log >&2; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
libraries=$work/root/usr/lib/$(uname -m)-linux-gnu
echo "version: apache2-bin $(dpkg-deb --field apache2-bin_*.deb Version)"
LD_LIBRARY_PATH=$libraries root/usr/sbin/apache2 -v | sed -n 1p

cat > template <<'CONFIGURATION'
LoadModule mpm_event_module root/usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module root/usr/lib/apache2/modules/mod_authz_core.so
LoadModule rewrite_module root/usr/lib/apache2/modules/mod_rewrite.so
PidFile apache.pid
DefaultRuntimeDir .
ErrorLog error.log
ServerName localhost
Listen 127.0.0.1:@port@
RewriteEngine On
RewriteCond %{HTTP:X-App-Build} -lt93
RewriteRule ^/condition/93$ - [R=426]
RewriteCond expr "%{HTTP:X-App-Build} -lt 93"
RewriteRule ^/expression/93$ - [R=426]
RewriteCond %{HTTP:X-App-Build} -lt2512010000
RewriteRule ^/condition/2512010000$ - [R=426]
RewriteCond expr "%{HTTP:X-App-Build} -lt 2512010000"
RewriteRule ^/expression/2512010000$ - [R=426]
RewriteRule ^ - [R=204]
CONFIGURATION

python3 - "$libraries" <<'PYTHON'
import os
import sys

from gateways import free_port, request, running

command = ["env", f"LD_LIBRARY_PATH={sys.argv[1]}", "root/usr/sbin/apache2", "-D", "FOREGROUND",
           "-d", os.getcwd(), "-f", "apache.conf"]
port = free_port()
# Minimum and build: status with -lt in a RewriteCond, and in an expression.
recorded = {
    ("93", "92"): (426, 426), ("93", "93"): (204, 204), ("93", "100"): (204, 204),
    ("93", "2147483647"): (204, 204), ("93", "2611300713"): (426, 204),
    ("93", "4294967388"): (426, 204), ("93", "4294967389"): (204, 204),
    ("2512010000", "93"): (204, 426), ("2512010000", "2100000000"): (204, 426),
    ("2512010000", "2511300713"): (426, 426), ("2512010000", "2611300713"): (204, 204),
}
observed = {}
with running(command, "apache.conf", port):
    for minimum, build in recorded:
        result = tuple(request(port, f"/{kind}/{minimum}", {"X-App-Build": build})[0]
                       for kind in ("condition", "expression"))
        observed[minimum, build] = result
        print(f"build {build}, minimum {minimum}: RewriteCond {result[0]}, expression {result[1]}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: a RewriteCond denies 2611300713 as less than 93")
PYTHON
