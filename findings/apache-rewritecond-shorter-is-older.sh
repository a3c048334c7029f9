#!/usr/bin/env bash
#
# Apache: for "<" in a RewriteCond, the shorter of two versions is the older one.
#
# Expected:  "<3.5.0" compares as text ("lexicographically", in the documentation), so 3.10.0 is
#            below 3.5.0, and 4.0 is not.
# Observed:  it is the other way around: mod_rewrite compares the lengths first, and the characters
#            only if the lengths are equal. 4.0 and 3.6 are below 3.5.0, and 3.10.0 is not. ">"
#            uses the same order. The same comparison in an expression, as in <If>, is by
#            character.
# Impact:    a floor of 3.5.0 works with 3.4.9, 3.5.0, 3.6.0, and even with 3.10.0, so a test with
#            them succeeds. It denies 4.0 and 3.6, if the app reports two parts, and 2.10.0 passes.
# Guess:     by the documentation, 3.10.0 is denied as in an expression, and 4.0 passes; seen: the
#            opposite.
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
LoadModule rewrite_module root/usr/lib/apache2/modules/mod_rewrite.so
PidFile apache.pid
DefaultRuntimeDir .
ErrorLog error.log
ServerName localhost
Listen 127.0.0.1:@port@
RewriteEngine On
RewriteCond %{HTTP:X-App-Version} <3.5.0
RewriteRule ^/condition$ - [R=426]
RewriteCond expr "%{HTTP:X-App-Version} < '3.5.0'"
RewriteRule ^/expression$ - [R=426]
RewriteRule ^ - [R=204]
CONFIGURATION

python3 - "$libraries" <<'PYTHON'
import os
import sys

from gateways import free_port, request, running

command = ["env", f"LD_LIBRARY_PATH={sys.argv[1]}", "root/usr/sbin/apache2", "-D", "FOREGROUND",
           "-d", os.getcwd(), "-f", "apache.conf"]
port = free_port()
# Version: status with "<3.5.0" in a RewriteCond, and in an expression.
recorded = {
    "3.4.9": (426, 426), "3.5.0": (204, 204), "3.6.0": (204, 204), "3.10.0": (204, 426),
    "2.10.0": (204, 426), "3.6": (426, 204), "4.0": (426, 204),
}
observed = {}
with running(command, "apache.conf", port):
    for version in recorded:
        observed[version] = tuple(
            request(port, path, {"X-App-Version": version})[0]
            for path in ("/condition", "/expression")
        )
        print(f"{version}: RewriteCond {observed[version][0]}, expression {observed[version][1]}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: a RewriteCond denies 4.0 as older than 3.5.0")
PYTHON
