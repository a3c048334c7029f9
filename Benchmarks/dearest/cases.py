"""Requests and frames that are designed to be expensive."""

import itertools
import random

from .client import DATA, PING, PRIORITY, SETTINGS, WINDOW, frame, literal

HOST = b"api.example.com"
APP = {
    b"Host": HOST,
    b"User-Agent": b"Shop/4.2.0 (iPhone; iOS 17.2) CFNetwork/1490",
    b"X-App-Id": b"com.example.shop",
    b"X-App-Platform": b"ios",
    b"X-App-Version": b"4.2.0",
    b"X-OS-Version": b"17.2",
    b"Accept": b"application/json",
    b"Accept-Language": b"ja-JP,ja;q=0.9,en;q=0.8",
    b"Accept-Encoding": b"gzip, deflate, br",
    b"Authorization": b"Bearer 0123456789abcdef",
    b"Traceparent": b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    b"Cache-Control": b"no-cache",
}


def request(changes=None, target=b"/v2/items/48213", method=b"GET", more=()):
    fields = APP | (changes or {})
    lines = [name + b": " + value for name, value in fields.items() if value is not None]
    return b"\r\n".join([method + b" " + target + b" HTTP/1.1", *lines, *more]) + b"\r\n\r\n"


def mixed(seed=1):
    """Requests from many clients: 30 builds, and tokens, traces and paths that differ each time."""
    chance = random.Random(seed)
    while True:
        yield request(
            {
                b"X-App-Version": b"4.%d.%d" % (chance.randrange(6), chance.randrange(5)),
                b"Authorization": b"Bearer %032x" % chance.getrandbits(128),
                b"Traceparent": b"00-%032x-%016x-01"
                % (chance.getrandbits(128), chance.getrandbits(64)),
            },
            b"/v2/items/%d" % chance.randrange(10**6),
        )


def each(name, value):
    """Requests with a different value in one field each time, derived from a counter."""
    for number in itertools.count():
        yield request({name: value(number)})


def repeated(one):
    return itertools.repeat(one)


def listed(item, size):
    return lambda number: (b"%d.%d," % (number % 90, item) * (size // 4))[:size]


def crowded():
    """A head of nearly 32 KiB with 100 fields."""
    more = [b"X-Field-%02d: " % number + b"v" * 300 for number in range(88)]
    for number in itertools.count():
        yield request({b"Authorization": b"Bearer %032x" % number}, more=more)


def websocket(target):
    return request(
        {b"Connection": b"upgrade", b"Upgrade": b"none-such"}, target
    )


# HTTP/1.1 requests: each name has an infinite series of requests.
REQUESTS = [
    ("mixed pass", mixed()),
    ("one client, repeated", repeated(request())),
    ("never seen version", each(b"X-App-Version", lambda number: b"4.2.0+%d" % number)),
    ("never seen build in a version", each(b"X-App-Version", lambda number: b"4.2.0 (%d)" % number)),
    ("never seen version behind a platform", each(
        b"X-App-Version", lambda number: b"ios/4.%d.0" % (number + 2)
    )),
    ("denied, repeated", repeated(request({b"X-App-Version": b"3.2.0"}))),
    ("denied, never seen version", each(b"X-App-Version", lambda number: b"3.2.0+%d" % number)),
    ("denied, never seen build", each(b"X-App-Version", lambda number: b"3.2.0 (%d)" % number)),
    ("never seen language", each(b"Accept-Language", lambda number: b"ja-JP,en;q=0.%d" % number)),
    ("versions, list of 28 KB", each(b"X-App-Version", listed(1, 28_000))),
    ("versions, list of 1,000 B", each(b"X-App-Version", listed(1, 1_000))),
    ("versions, 8 of 60 B", each(
        b"X-App-Version",
        lambda number: b",".join(b"1.0.0-" + b"a." * 24 + b"%d" % (number + each) for each in range(8)),
    )),
    ("OS versions, list of 28 KB", each(b"X-OS-Version", listed(2, 28_000))),
    ("platforms, list of 28 KB", each(b"X-App-Platform", listed(3, 28_000))),
    ("languages, list of 1,000 B", each(b"Accept-Language", listed(4, 1_000))),
    ("languages, list of 28 KB", each(b"Accept-Language", listed(4, 28_000))),
    ("user agent of 500 B", each(b"User-Agent", lambda number: b"Shop/%d " % number + b"x" * 480)),
    ("user agent of 28 KB", each(b"User-Agent", lambda number: b"Shop/%d " % number + b"x/" * 14_000)),
    ("not ASCII in every field", (
        request({name: ("é%d" % number * 40).encode() for name in (
            b"X-App-Id", b"X-App-Platform", b"X-App-Version", b"X-OS-Version", b"X-App-Channel",
            b"X-App-Build",
        )}) for number in itertools.count()
    )),
    ("100 fields, 32 KiB", crowded()),
    ("path, 1,000 B encoded", repeated(request(target=b"/" + b"%61" * 333))),
    ("path, 250 B of all ambiguities", repeated(
        request(target=b"/a//b/../c;d/%2e/%2f\\x%5c%3b/" + b"y" * 220)
    )),
    ("path, 60 B of all ambiguities", repeated(
        request(target=b"/a//b/../c;d/%2e/%2f\\x%5c%3b%2523/" + b"y" * 20)
    )),
    ("path, 8,000 B encoded twice", repeated(request(target=b"/" + b"%2561" * 1_500))),
    ("status, query of 7 KB", repeated(
        request(target=b"/.versiongate/status?" + b"path=%2Fa&" * 700)
    )),
]

# The same for a gate with an access log.
LOGGED_REQUESTS = [
    ("mixed pass, logged", mixed()),
    ("never seen version, logged", each(b"X-App-Version", lambda number: b"4.%d.0" % (number + 2))),
    ("never seen build, logged", each(b"X-App-Build", lambda number: b"%d" % number)),
    ("denied, never seen version, logged", each(
        b"X-App-Version", lambda number: b"3.2.%d" % number
    )),
]


def block(fields=b"", target=b"/v2/items/48213"):
    """A request over HTTP/2; :method GET and :scheme http are in the static table."""
    return b"\x82\x86" + literal(b":path", target) + literal(b":authority", HOST) + fields


def identity():
    return b"".join(
        literal(name.lower(), value, remembered=True)
        for name, value in APP.items() if name != b"Host"
    )


# The list is sent once, and each request then refers to it by index (RFC 7541 section 6.1).
REMEMBERED_LIST = literal(b"x-app-version", (b"1,2,3," * 700)[:3_900], remembered=True)

# Frames that start no request: each name has the frames for an open stream.
FRAMES = [
    ("PING", lambda stream: frame(PING, 0, 0, b"12345678")),
    ("SETTINGS", lambda stream: frame(SETTINGS, 0, 0)),
    ("WINDOW_UPDATE", lambda stream: frame(WINDOW, 0, 0, (1).to_bytes(4, "big"))),
    ("PRIORITY", lambda stream: frame(PRIORITY, 0, stream, b"\0\0\0\0\1")),
    ("DATA of one byte", lambda stream: frame(DATA, 0, stream, b"x")),
    ("frame of an unknown type", lambda stream: frame(0x42, 0, stream, b"x" * 8)),
]
