#!/usr/bin/perl
# LWP or HTTP::Tiny. adapter.py documents the input and the output.
use strict;
use warnings;
use HTTP::Tiny;
use JSON::PP;
use LWP::UserAgent;
use Time::HiRes;

my $library = shift @ARGV;
my $json = JSON::PP->new->canonical;
$| = 1;

sub pieces {
    my ($upload) = @_;
    my $left = $upload->{bytes};
    my $piece = '0123456789abcdef' x 4096;
    return sub {
        return '' unless $left > 0;
        my $part = substr $piece, 0, $left;
        $left -= length $part;
        return $part;
    };
}

sub body {
    my ($upload) = @_;
    return pieces($upload) if $upload->{chunked};
    return substr '0123456789abcdef' x ($upload->{bytes} / 16 + 1), 0, $upload->{bytes};
}

sub lwp {
    my ($given) = @_;
    my $agent = LWP::UserAgent->new(keep_alive => 4, timeout => $given->{timeout});
    $agent->ssl_opts(SSL_ca_file => $given->{ca});
    return sub {
        my ($case) = @_;
        my $request = HTTP::Request->new($case->{method}, $case->{url}, [%{$case->{fields}}]);
        if ($case->{upload}) {
            $request->content(body($case->{upload}));
            $request->header('Content-Length' => $case->{upload}{bytes}) unless $case->{upload}{chunked};
        }
        my $text = '';
        my @take = $case->{kind} eq 'events' ? (sub { $text .= $_[0]; die "enough\n" if $text =~ /^data:.*\n/m }) : ();
        my $response = $agent->request($request, @take);
        # LWP turns an error into a response of its own.
        if (($response->header('Client-Warning') // '') eq 'Internal response') {
            return { error => 'status ' . $response->code . ' of LWP itself', message => $response->message };
        }
        my %fields = map { lc $_ => scalar $response->header($_) } $response->header_field_names;
        my $content = @take ? ($text =~ /^(data:.*)/m)[0] // '' : $response->content;
        my %more = $response->header('X-Died') && !@take ? (error => 'X-Died', message => $response->header('X-Died')) : ();
        return { status => $response->code + 0, fields => \%fields, body => substr($content, 0, 8192), length => length $content, %more };
    };
}

sub tiny {
    my ($given) = @_;
    my $agent = HTTP::Tiny->new(timeout => $given->{timeout}, verify_SSL => 1, SSL_options => { SSL_ca_file => $given->{ca} });
    return sub {
        my ($case) = @_;
        my %options = (headers => { %{$case->{fields}} });
        $options{content} = body($case->{upload}) if $case->{upload};
        my $text = '';
        $options{data_callback} = sub { $text .= $_[0]; die "enough\n" if $text =~ /^data:.*\n/m } if $case->{kind} eq 'events';
        my $response = $agent->request($case->{method}, $case->{url}, \%options);
        if ($response->{status} == 599 && $text !~ /^data:/m) {
            return { error => 'status 599', message => $response->{content} };
        }
        my $content = $case->{kind} eq 'events' ? ($text =~ /^(data:.*)/m)[0] // '' : $response->{content} // '';
        # HTTP::Tiny reports no status if the callback stops the response.
        my $status = $response->{status} == 599 ? 200 : $response->{status} + 0;
        my %fields = map { $_ => ref $response->{headers}{$_} ? $response->{headers}{$_}[0] : $response->{headers}{$_} } keys %{$response->{headers}};
        return { status => $status, fields => \%fields, body => substr($content, 0, 8192), length => length $content };
    };
}

sub timed {
    my ($ask, $case) = @_;
    my $began = Time::HiRes::time;
    my $result = eval { $ask->($case) } // { error => 'die', message => "$@" };
    $result->{seconds} = 0 + sprintf '%.3f', Time::HiRes::time - $began;
    return $result;
}

sub unsupported {
    my ($case) = @_;
    return 'HTTP/1.1 only' if $case->{http} eq '2';
    return 'no WebSocket' if $case->{kind} eq 'websocket';
    return 'does not wait for 100' if $case->{upload} && $case->{upload}{expect};
}

print $json->encode({ version => $library eq 'lwp' ? "LWP $LWP::VERSION" : "HTTP::Tiny $HTTP::Tiny::VERSION" }), "\n";
while (my $line = <STDIN>) {
    my $case = $json->decode($line);
    my $reason = unsupported($case);
    if ($reason) {
        print $json->encode({ unsupported => $reason }), "\n";
        next;
    }
    my $ask = $library eq 'lwp' ? lwp($case) : tiny($case);
    my $result = timed($ask, $case);
    $result->{next} = timed($ask, { kind => 'request', timeout => $case->{timeout}, %{$case->{next}} }) if $case->{next};
    print $json->encode($result), "\n";
}
