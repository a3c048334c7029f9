#!/usr/bin/env bash
#
# Traffic Server: the plugin authproxy replaces the body of the authorizer's denial.
#
# Expected:  if the authorizer responds with a status other than 200, its response is sent to the client, as the
#            plugin's documentation states: status, header fields and body.
# Observed:  the status and the header fields are kept, except Content-Type. The body is "426 Upgrade Required", as
#            text/plain. A 426 with the same fields and body from the backend is not changed.
# Impact:    an app finds the status of the denial, but no title, message or store URL. If it parses the body as
#            JSON, it reports an error instead of "please update".
# Guess:     the body is sent unchanged, as with the other gateways that send authorization requests.
#
# Software:  trafficserver 9.2.5+ds-0+deb12u4 (Debian 12)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

cd "$work"
apt-get download --quiet=2 trafficserver=9.2.5+ds-0+deb12u4 libhwloc15 libluajit-5.1-2 libmaxminddb0 libpcre3 \
    libunwind8 libyaml-cpp0.7 2> download.log || { cat download.log >&2; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
architecture=$(uname -m)-linux-gnu
mkdir cache log run
cp -r root/etc/trafficserver etc
cat > runroot.yaml <<YAML
prefix: $work
exec_prefix: $work/root/usr
bindir: $work/root/usr/bin
sbindir: $work/root/usr/sbin
sysconfdir: $work/etc
datadir: $work/cache
libdir: $work/root/usr/lib/trafficserver
libexecdir: $work/root/usr/lib/trafficserver/modules
localstatedir: $work/run
runtimedir: $work/run
logdir: $work/log
cachedir: $work/cache
includedir: $work
YAML
echo "$work/cache 64M" > etc/storage.config
cat > gateway <<SHELL
#!/bin/sh
export LD_LIBRARY_PATH="$work/root/usr/lib/$architecture:$work/root/lib/$architecture:$work/root/usr/lib/trafficserver"
export TS_RUNROOT="$work/runroot.yaml"
cat > "$work/etc/records.config" <<CONFIG
CONFIG proxy.config.http.server_ports STRING \$1:ip-in=127.0.0.1
CONFIG proxy.config.admin.user_id STRING #-1
CONFIG proxy.config.crash_log_helper STRING NULL
CONFIG proxy.config.http.cache.http INT 0
CONFIG proxy.config.body_factory.template_sets_dir STRING $work/etc/body_factory
CONFIG
exec "$work/root/usr/bin/traffic_server"
SHELL
chmod +x gateway
cat > template <<'CONFIG'
map http://127.0.0.1:@port@/ http://127.0.0.1:@backend@/ @plugin=authproxy.so @pparam=--auth-transform=redirect \
    @pparam=--auth-host=127.0.0.1 @pparam=--auth-port=@authorizer@
map http://127.0.0.1:@authorizer@/ http://127.0.0.1:@authorizer@/
CONFIG

python3 - <<'PYTHON'
import http.client
import json
import re
import sys
from pathlib import Path

from gateways import free_port, running, serve

DENIAL = json.dumps({"title": "Update required", "message": "Please update.", "storeUrl": "https://example.com/app"})
FIELDS = {"Content-Type": "application/problem+json", "Content-Language": "en-GB", "Cache-Control": "no-store",
          "X-App-Rule": "ios"}


def denial(status):
    return status, FIELDS, DENIAL.encode()


def authorize(request):
    return denial(426) if request.headers["X-App-Version"] == "3.4.9" else (200, {}, b"")


def respond(request):
    return denial(426) if request.path == "/refuses" else (200, {"Content-Type": "text/plain"}, b"from the backend")


def get(port, path, version):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path, headers={"X-App-Version": version})
    response = connection.getresponse()
    text = response.read().decode()
    body = "the denial" if text == DENIAL else text.strip()
    connection.close()
    fields = [response.getheader(name) for name in FIELDS]
    return [response.status, *fields, body]


# Who responds, path and version: status, the four fields, and the body.
own = list(FIELDS.values())
recorded = {
    ("backend allows", "/orders", "4.0.0"): [200, "text/plain", None, None, None, "from the backend"],
    ("backend refuses", "/refuses", "4.0.0"): [426, *own, "the denial"],
    ("authorizer refuses", "/orders", "3.4.9"): [426, "text/plain", "en-GB", "no-store", "ios", "426 Upgrade Required"],
}
observed = {}
port, authorizer, backend = free_port(), serve(authorize), serve(respond)
with running(["./gateway", str(port)], "etc/remap.config", port, authorizer=authorizer, backend=backend):
    for case in recorded:
        _, path, version = case
        observed[case] = get(port, path, version)
        print(f"{case[0]} (GET {path}, version {version}): {observed[case]}")
log = Path("log/diags.log").read_text(errors="replace") + Path("gateway.log").read_text(errors="replace")
if version := re.search(r"Traffic Server (\d+\.\d+\.\d+)", log):
    print("Traffic Server", version[1])
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}\n{log[-2000:]}")
print("as recorded: the body of the authorizer's denial is replaced")
PYTHON
