"""As many requests as one core of the proxy can take."""

import functools

from ..appcall import CURRENT_VERSION, OUTDATED_VERSION, request_headers
from ..bench import Bench
from ..candidates import REFERENCE
from ..run import Column

COLUMNS = (
    Column("requests/s", "requests_per_second"),
    Column("CPU µs/request", "cpu_microseconds", "{:.1f}"),
    Column(f"CPU, ratio to {REFERENCE}", "cpu_microseconds", is_ratio=True),
    Column(f"requests/s, ratio to {REFERENCE}", "requests_per_second", is_ratio=True),
    Column("p50 ms", "p50_milliseconds", "{:.2f}"),
    Column("p99 ms", "p99_milliseconds", "{:.2f}"),
)


class Saturated:
    """The same request over and over, and the one status that is right for it."""

    columns = COLUMNS
    reference = REFERENCE
    max_rounds = None

    def __init__(self, name, title, version, status, load=Bench.wrk):
        self.name = name
        self.title = title
        self._headers = request_headers(version)
        self._status = status
        self._load = load

    @classmethod
    def passing(cls):
        return cls("pass", "the backend answers, HTTP/1.1, one core", CURRENT_VERSION, 200)

    @classmethod
    def denying(cls):
        title = "the proxy answers, HTTP/1.1, one core"
        return cls("deny", title, OUTDATED_VERSION, 426, load=Bench.load)

    def rows(self, bench):
        return {
            candidate.name: functools.partial(self._measure, bench, candidate)
            for candidate in bench.candidates
        }

    def _measure(self, bench, candidate, _):
        return self._load(bench, bench.server(candidate), self._headers, self._status)
