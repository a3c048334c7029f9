"""Clients' requests, as input for the load generator."""

import dataclasses
import random
from collections.abc import Callable

from . import appcall

# A placeholder for a number that differs in each request: see load/load.h.
NUMBER = "########"
HEADS = 4_096
IDENTITIES = 30_000
MORE_IDENTITIES = 300_000
BODY_BYTES = 2_048
SYSTEMS = [f"{major}.{minor}" for major in range(15, 20) for minor in range(5)]
LANGUAGES = [
    f"{first}-{region},{first};q=0.9,{second};q=0.8"
    for first, region in (("ja", "JP"), ("en", "US"), ("ko", "KR"), ("de", "DE"), ("fr", "FR"))
    for second in ("en-GB", "zh-TW", "es", "pt")
]


@dataclasses.dataclass(frozen=True)
class Traffic:
    """A kind of traffic."""

    name: str
    title: str
    # Returns the requests of traffic that is to be denied or to pass.
    make: Callable[[bool], list[bytes]]
    # Whether requests are drawn from a Zipf distribution, the first one most often, rather than
    # sent in order.
    by_zipf: bool = False
    # The duration of the warm-up, after which all caches for clients are full.
    warm_up_seconds: float = 0.2
    warm_up_requests: int = 5_000
    # The number of clients; with None, the benchmark's option applies.
    connections: int | None = None
    # The length of the backend's response.
    answer_bytes: int = len(appcall.BACKEND_BODY)

    def case(self, denied):
        """Returns the traffic's name with the expected result."""
        return f"{self.name}-{'deny' if denied else 'pass'}"

    def write(self, folder, denied):
        """Writes the file with its requests to the folder, once."""
        path = folder / f"{self.case(denied)}.requests"
        if not path.exists():
            with path.open("wb") as file:
                for request in self.make(denied):
                    file.write(b"%d\n%b" % (len(request), request))
        return path


def builds(count, denied):
    """Returns this many builds that the rules allow, or that they deny."""
    if denied:
        return [f"3.{number % 5}.{number // 5}" for number in range(count)]
    return [f"4.{number // 5}.{number % 5}" for number in range(count)]


def head(method, path, fields):
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode()


def app_fields(version, system, languages, token, trace):
    """Returns the 12 fields of an app's request."""
    return {
        "Host": "api.example.com",
        "User-Agent": f"Shop/{version} (iPhone; iOS {system}) CFNetwork/1490",
        "X-App-Id": "com.example.shop",
        "X-App-Platform": "ios",
        "X-App-Version": version,
        "X-OS-Version": system,
        "Accept": "application/json",
        "Accept-Language": languages,
        "Accept-Encoding": "gzip, deflate, br",
        "Authorization": f"Bearer {token}",
        "Traceparent": f"00-{trace[:32]}-{trace[32:]}-01",
        "Cache-Control": "no-cache",
    }


def mixed_requests(versions, method="GET", more=(), body=b""):
    """Returns heads with unique paths, tokens and trace IDs."""
    chance = random.Random(1)
    paths = chance.sample(range(10**5, 10**6), HEADS)
    return [
        head(method, f"/v2/items/{path}", app_fields(
            chance.choice(versions), "17.2", "ja-JP,ja;q=0.9,en;q=0.8",
            f"{chance.getrandbits(128):032x}", f"{chance.getrandbits(192):048x}",
        ) | dict(more)) + body
        for path in paths
    ]


def mixed(denied):
    return mixed_requests(builds(30, denied))


def never_seen(denied):
    # The peers' regular expression must still match the version.
    return mixed_requests([f"{build.rpartition('.')[0]}.{NUMBER}" for build in builds(30, denied)])


def posts(denied):
    body = (b'{"note":"' + b"0123456789abcdef" * (BODY_BYTES // 16))[:BODY_BYTES - 2] + b'"}'
    more = {"Content-Type": "application/json", "Content-Length": BODY_BYTES}
    return mixed_requests(builds(30, denied), "POST", more, body)


def identities(count, denied):
    """Returns this many clients: their builds, OS versions and languages."""
    return [
        (version, system, languages)
        for version in builds(count // len(SYSTEMS) // len(LANGUAGES), denied)
        for system in SYSTEMS
        for languages in LANGUAGES
    ]


def crowd_of(count):
    """Returns the heads of this many clients, unordered; path and trace differ in each request."""
    def requests(denied):
        chance = random.Random(2)
        clients = identities(count, denied)
        chance.shuffle(clients)
        return [
            head("GET", f"/v2/items/{NUMBER}", app_fields(
                *client, f"{chance.getrandbits(128):032x}",
                f"{chance.getrandbits(160):040x}{NUMBER}",
            ))
            for client in clients
        ]
    return requests


def one_client(denied):
    version = appcall.OUTDATED_VERSION if denied else appcall.CURRENT_VERSION
    return [head("GET", appcall.PATH, appcall.request_headers(version))]


def downloads(denied):
    version = appcall.OUTDATED_VERSION if denied else appcall.CURRENT_VERSION
    return [head("GET", appcall.LARGE_PATH, appcall.request_headers(version))]


MIXED = Traffic(
    "mixed", f"{HEADS:,} heads of 12 fields, 30 builds; all paths, tokens and trace IDs differ",
    mixed,
)
CROWD = Traffic(
    "crowd", f"{IDENTITIES:,} identities (builds, OS versions, languages) drawn from a Zipf distribution",
    crowd_of(IDENTITIES), by_zipf=True, warm_up_seconds=0.7, warm_up_requests=30_000,
)
LARGER_CROWD = Traffic(
    "larger-crowd", f"{MORE_IDENTITIES:,} identities", crowd_of(MORE_IDENTITIES),
    by_zipf=True, warm_up_seconds=0.7, warm_up_requests=30_000,
)
NEVER_SEEN = Traffic(
    "never-seen", "like mixed, but each request has a new version", never_seen,
)
ONE_CLIENT = Traffic("one-client", "the same request, repeated", one_client)
POST = Traffic("post", f"like mixed, but each request has a body of {BODY_BYTES:,} bytes", posts)
DOWNLOAD = Traffic(
    "download", "responses of 1 MiB", downloads,
    # With more connections, they would only take turns.
    connections=8, answer_bytes=appcall.LARGE_BODY_BYTES,
)
HEADLINES = (MIXED, CROWD, NEVER_SEEN, ONE_CLIENT)
