#!/usr/bin/env bash
#
# JSON::RPC::Legacy::Client and SOAP::Lite (Perl): a denial with a JSON or XML body is a success without a value.
#
# Expected:  a call that gets 426 or 503 is an error: JSON::RPC::Legacy::Client returns no object, or one with is_error,
#            and SOAP::Lite dies.
# Observed:  JSON::RPC::Legacy::Client does not read the status. Each JSON object without the member "error", such as
#            application/problem+json, is a successful result: is_success is true, the result is undef, and a method
#            that was named in prepare() returns undef instead of dying. SOAP::Lite returns each body that is
#            well-formed XML, whatever the status, as for a SOAP fault with 500. Without a Fault in it, there is no
#            fault and no result. With a body of another kind, both report the error.
# Impact:    a client that is denied for its version goes on as if the call had succeeded: an order seems to be sent,
#            a list seems to be empty. The example in the documentation of JSON::RPC::Legacy::Client prints the
#            status only if there is no object. A gateway should deny such calls in their own format: JSON-RPC with
#            "error", SOAP with a Fault.
# Guess:     SOAP::Lite dies with the status.
#
# Software:  libjson-rpc-perl 1.06-3, libsoap-lite-perl 1.27-3, libwww-perl 6.68-1 (Debian 12)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

cd "$work"
apt-get download --quiet=2 libjson-rpc-perl=1.06-3 libsoap-lite-perl=1.27-3 libwww-perl=6.68-1 libnet-http-perl \
    libjson-perl libclass-inspector-perl libio-sessiondata-perl libtask-weaken-perl libxml-parser-perl \
    libxml-parser-lite-perl libhttp-message-perl libhttp-date-perl liburi-perl libencode-locale-perl \
    libfile-listing-perl libhttp-negotiate-perl libhttp-cookies-perl liblwp-mediatypes-perl libio-html-perl \
    libtry-tiny-perl libtimedate-perl libclone-perl libwww-robotrules-perl libhtml-parser-perl libhtml-tagset-perl \
    libregexp-ipv6-perl libexpat1 2> download.log || { cat download.log >&2; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
libraries=root/usr/lib/$(uname -m)-linux-gnu
modules=$work/$libraries/perl5
export PERL5LIB="$work/root/usr/share/perl5:$(echo "$modules"/*)"
export LD_LIBRARY_PATH="$work/$libraries:$work/root/lib/$(uname -m)-linux-gnu"

cat > call.pl <<'PERL'
use strict;
use warnings;
use JSON::RPC::Legacy::Client;
use SOAP::Lite;

my ($client, $address) = @ARGV;
if ($client eq 'versions') {
    printf "JSON::RPC::Legacy::Client %s, SOAP::Lite %s, LWP %s\n",
        JSON::RPC::Legacy::Client->VERSION, SOAP::Lite->VERSION, LWP->VERSION;
    exit;
}
my ($value, $failed);
if ($client eq 'JSON-RPC') {
    my $answer = JSON::RPC::Legacy::Client->new->call($address, {method => 'order', params => []});
    $failed = $answer ? ($answer->is_error ? 'is_error' : undef) : 'no object';
    $value = $answer->result if $answer;
} elsif ($client eq 'JSON-RPC, prepared') {
    my $service = JSON::RPC::Legacy::Client->new;
    $service->prepare($address, ['order']);
    $failed = 'dies' unless eval { $value = $service->order(1); 1 };
} else {
    my $service = SOAP::Lite->proxy($address, timeout => 10)->uri('urn:shop');
    my $answer = eval { $service->call('order', 1) };
    $failed = $@ ? 'dies' : $answer->fault ? 'fault ' . $answer->faultstring : undef;
    $value = $answer->result if $answer;
}
print defined $failed ? "error ($failed)" : 'success, result ' . ($value // 'undef');
PERL

perl call.pl versions
python3 - <<'PYTHON'
import subprocess
import sys

from gateways import serve

JSON, XML, HTML = ({"Content-Type": kind} for kind in ("application/problem+json", "text/xml", "text/html"))
PAGE = b"<html><body><h1>Please update.<br></body></html>"
SOAP = '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>%s</s:Body></s:Envelope>'
denial = b'{"title": "Update required", "message": "Please update."}'
problem = b"<problem><title>Update required</title></problem>"
fault = SOAP % "<s:Fault><faultcode>s:Client</faultcode><faultstring>Please update</faultstring></s:Fault>"
answers = {
    "JSON-RPC": {
        "200": (200, JSON, b'{"version": "1.1", "result": "ok"}'),
        "200 with error": (200, JSON, b'{"version": "1.1", "error": {"message": "Please update."}}'),
        "426 with error": (426, JSON, b'{"version": "1.1", "error": {"message": "Please update."}}'),
        "426 without a body": (426, {}, b""),
        "426": (426, JSON, denial),
        "503": (503, {**JSON, "Retry-After": "60"}, denial),
    },
    "SOAP": {
        "200": (200, XML, (SOAP % "<orderResponse><r>ok</r></orderResponse>").encode()),
        "426 with a Fault": (426, XML, fault.encode()),
        "426 without a body": (426, {}, b""),
        "426 with HTML": (426, HTML, PAGE),
        "426 with JSON": (426, JSON, denial),
        "426 with XML": (426, {"Content-Type": "application/problem+xml"}, problem),
        "503 with XML": (503, {**XML, "Retry-After": "60"}, problem),
    },
}
answers["JSON-RPC, prepared"] = answers["JSON-RPC"]
address = f"http://127.0.0.1:{serve(lambda _: answers[client][name])}/"
LOST = "success, result undef"
# Client: outcome of each answer, in the order above.
recorded = {
    "JSON-RPC": ["success, result ok", "error (is_error)", "error (is_error)", "error (no object)", LOST, LOST],
    "JSON-RPC, prepared": ["success, result ok", "error (dies)", "error (dies)", "error (dies)", LOST, LOST],
    "SOAP": ["success, result ok", "error (fault Please update)", "error (dies)", "error (dies)", "error (dies)",
             LOST, LOST],
}
observed = {}
for client in recorded:
    observed[client] = []
    for name in answers[client]:
        command = ["perl", "call.pl", client, address]
        result = subprocess.run(command, capture_output=True, text=True, timeout=30)
        observed[client].append(result.stdout or result.stderr)
        print(f"{client}, {name}: {observed[client][-1]}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: a 426 with the JSON or XML of a problem is a success without a value")
PYTHON
