#!/usr/bin/env bash
#
# LWP and AnyEvent::HTTP (Perl): after a 103, the denial is lost, and the status is 103.
#
# Expected:  a client skips interim responses (1xx other than 101) that it does not know, and returns the final
#            response (RFC 9110, 15.2).
# Observed:  both clients skip only a 100. They return a 102 or 103 as the result, with its fields and an empty
#            body; the 426 that follows is not read. In LWP, neither is_error nor is_success is true for it.
#            HTTP::Tiny and Mojo::UserAgent return the 426.
# Impact:    a gateway or backend that sends Early Hints (HAProxy, Caddy and Squid forward them) hides each
#            denial, and each other response, from these clients. Code that checks is_error goes on as if the
#            request had succeeded, without data.
# Guess:     all four return the 426.
#
# Software:  libwww-perl 6.68-1, libnet-http-perl 6.22-1, libanyevent-http-perl 2.25-2,
#            libmojolicious-perl 9.31+dfsg-1, HTTP::Tiny of perl 5.36 (Debian 12)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
apt-get download --quiet=2 libwww-perl=6.68-1 libnet-http-perl=6.22-1 libanyevent-http-perl=2.25-2 \
    libmojolicious-perl=9.31+dfsg-1 libanyevent-perl libcommon-sense-perl \
    libhttp-message-perl libhttp-date-perl liburi-perl libencode-locale-perl libfile-listing-perl \
    libhttp-negotiate-perl libhttp-cookies-perl liblwp-mediatypes-perl libio-html-perl libtry-tiny-perl \
    libtimedate-perl libclone-perl libwww-robotrules-perl libhtml-parser-perl libhtml-tagset-perl \
    libregexp-ipv6-perl 2> download.log || { cat download.log >&2; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
modules=$work/root/usr/lib/$(uname -m)-linux-gnu/perl5
export PERL5LIB="$work/root/usr/share/perl5:$(echo "$modules"/*)"

cat > ask.pl <<'PERL'
use strict;
use warnings;

my ($client, $address) = @ARGV;
if ($client eq 'versions') {
    require LWP;
    require Net::HTTP;
    require AnyEvent::HTTP;
    require HTTP::Tiny;
    require Module::Metadata;
    printf "LWP %s, Net::HTTP %s, AnyEvent::HTTP %s; HTTP::Tiny %s, Mojolicious %s\n",
        LWP->VERSION, Net::HTTP->VERSION, AnyEvent::HTTP->VERSION, HTTP::Tiny->VERSION,
        Module::Metadata->new_from_module('Mojolicious')->version;
} elsif ($client eq 'LWP') {
    require LWP::UserAgent;
    my $response = LWP::UserAgent->new(timeout => 10)->get($address);
    print $response->code, ' ', $response->content;
    print ' (is_error)' if $response->is_error;
    print ' (is_success)' if $response->is_success;
} elsif ($client eq 'AnyEvent::HTTP') {
    require AnyEvent::HTTP;
    my $done = AnyEvent->condvar;
    my $report = sub { $done->send($_[1]{Status} . ' ' . $_[0]) };
    AnyEvent::HTTP::http_request(GET => $address, timeout => 10, $report);
    print $done->recv;
} elsif ($client eq 'HTTP::Tiny') {
    require HTTP::Tiny;
    my $response = HTTP::Tiny->new(timeout => 10)->get($address);
    print "$response->{status} $response->{content}";
} else {
    require Mojo::UserAgent;
    my $response = Mojo::UserAgent->new->get($address)->result;
    print $response->code, ' ', $response->body;
}
PERL

perl ask.pl versions
python3 - <<'PYTHON'
import socketserver
import subprocess
import sys
import threading

DENIAL = b"HTTP/1.1 426 Upgrade Required\r\nX-VersionGate: require\r\nContent-Length: 14\r\n\r\nPlease update."
ANSWERS = {
    "/final": DENIAL,
    "/100": b"HTTP/1.1 100 Continue\r\n\r\n" + DENIAL,
    "/102": b"HTTP/1.1 102 Processing\r\n\r\n" + DENIAL,
    "/103": b"HTTP/1.1 103 Early Hints\r\nLink: </app.css>; rel=preload\r\n\r\n" + DENIAL,
}


class Backend(socketserver.StreamRequestHandler):
    """Answers the requests of a connection."""

    def handle(self):
        while line := self.rfile.readline():
            while self.rfile.readline().strip():
                pass
            self.wfile.write(ANSWERS[line.split()[1].decode()])


backend = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Backend)
backend.daemon_threads = True
threading.Thread(target=backend.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{backend.server_address[1]}"
denied = "426 Please update."
# Client and path: status and body.
recorded = {}
for client in "LWP", "AnyEvent::HTTP", "HTTP::Tiny", "Mojo":
    for path in ANSWERS:
        hidden = client not in ("HTTP::Tiny", "Mojo") and path in ("/102", "/103")
        recorded[client, path] = path[1:] if hidden else denied
    if client == "LWP":
        for path in "/final", "/100":
            recorded[client, path] += " (is_error)"
observed = {}
for client, path in recorded:
    command = ["perl", "ask.pl", client, address + path]
    result = subprocess.run(command, capture_output=True, text=True, timeout=30)
    observed[client, path] = result.stdout.strip() or result.stderr
    print(f"{client}, {path}: {observed[client, path]}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: after a 103, LWP and AnyEvent::HTTP do not return the denial")
PYTHON
