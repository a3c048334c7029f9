#!/usr/bin/env bash
#
# HAProxy: for Lua's httpclient, an interim response of the authorizer is its answer.
#
# Expected:  core.httpclient():get() returns the final response: an authorizer that sends 103 Early
#            Hints, or 102 Processing, and then 426 has the status 426, as HTTP requires of clients
#            (RFC 9110 section 15.2).
# Observed:  the status is 103, without a body, and the 426 that follows is dropped. As HTTP/1.1
#            permits a server to send interim responses to every HTTP/1.1 client, this is not an
#            error of the authorizer.
# Impact:    a script that denies for the status 426 lets every old app pass as soon as a framework
#            or a proxy in front of the authorizer sends 103 or 102; one that expects 200 denies
#            everybody. Test for a field of the final answer, which is missing then.
# Guess:     the final status, 200 or 426; seen: 103.
#
# Software:  haproxy 2.6.12-1+deb12u4 (Debian 12)
# Observed on: 2026-11-28
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

cd "$work"
apt-get download --quiet=2 haproxy=2.6.12-1+deb12u4 liblua5.3-0 libpcre2-8-0 libssl3 \
    2> download.log || { cat download.log >&2; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
haproxy="$work/root/usr/sbin/haproxy"
libraries="$work/root/usr/lib/$(uname -m)-linux-gnu"
LD_LIBRARY_PATH="$libraries" "$haproxy" -v | sed -n 1p

cat > "$work/authorize.lua" <<'LUA'
core.register_action("authorize", { "http-req" }, function(transaction)
    local version = transaction.f:req_hdr("x-app-version")
    local answer = core.httpclient():get{
        url = os.getenv("AUTHORIZER"), headers = { ["x-app-version"] = { version } }
    }
    transaction:set_var("txn.status", answer.status)
end, 0)
LUA

cat > "$work/template" <<'CONFIGURATION'
global
    lua-load authorize.lua
defaults
    mode http
    timeout connect 5s
    timeout client 5s
    timeout server 5s
frontend api
    bind 127.0.0.1:@port@
    http-request lua.authorize
    acl old var(txn.status) -m int 426
    http-request return status 426 content-type text/plain string no hdr X-Seen %[var(txn.status)] if old
    http-request return status 200 content-type text/plain string api hdr X-Seen %[var(txn.status)]
CONFIGURATION

cd "$work"
python3 - "$haproxy" "$libraries" <<'PYTHON'
import sys

from gateways import free_port, request, running, serve

gateway = sys.argv[1]

interim = 0


def authorize(question):
    if interim:
        question.send_response_only(interim)
        question.end_headers()
    return (426 if question.headers["X-App-Version"] < "4" else 200), {}, b""


authorizer, port = serve(authorize), free_port()
command = ["env", f"LD_LIBRARY_PATH={sys.argv[2]}", f"AUTHORIZER=http://127.0.0.1:{authorizer}/",
           gateway, "-db", "-f", "haproxy.cfg"]

# Interim response of the authorizer, version: status, and the status that the script sees.
recorded = {
    (0, "5.0"): (200, "200"), (0, "3.0"): (426, "426"),
    (103, "5.0"): (200, "103"), (103, "3.0"): (200, "103"), (102, "3.0"): (200, "102"),
}
observed = {}
with running(command, "haproxy.cfg", port):
    for interim, version in recorded:
        status, fields, _ = request(port, "/", {"X-App-Version": version})
        observed[interim, version] = (status, fields["X-Seen"])
        print(f"authorizer sends {interim or 'no interim response'}, version {version}: "
              f"Lua sees {fields['X-Seen']}, the client gets {status}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: a 426 after a 103 is a 103 for Lua, and version 3.0 passes")
PYTHON
