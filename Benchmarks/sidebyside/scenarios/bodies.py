"""Bodies of 1 MiB, to the client and to the backend."""

import functools

from ..appcall import CURRENT_VERSION, request_headers
from ..candidates import REFERENCE
from ..run import Column, Compared, Run
from ..setup import Setup

# More connections would only take turns.
CONNECTIONS = 8


class Bodies:
    reference = REFERENCE
    compared = (
        Compared("cpu_microseconds", "CPU for a MiB"),
        Compared("requests_per_second", "MiB/s", is_better_higher=True),
    )
    max_rounds = 3
    columns = (
        Column("MiB/s", "requests_per_second", "{:.0f}"),
        Column("CPU µs/MiB", "cpu_microseconds", "{:.0f}"),
        Column(f"CPU, ratio to {REFERENCE}", "cpu_microseconds", is_ratio=True),
        Column(f"MiB/s, ratio to {REFERENCE}", "requests_per_second", is_ratio=True),
    )

    def __init__(self, name, title, path, script):
        self.name = name
        self.title = title
        self._path = path
        self._script = script

    @classmethod
    def downloads(cls):
        return cls("download", "responses of 1 MiB, HTTP/1.1, one core", "/large", None)

    @classmethod
    def uploads(cls):
        return cls("upload", "requests of 1 MiB, HTTP/1.1, one core", "/upload", "upload.lua")

    def rows(self, bench):
        return {
            candidate.name: functools.partial(self._measure, bench, candidate)
            for candidate in bench.candidates
            if candidate.name != "nginx-lua"
        }

    def _measure(self, bench, candidate, _) -> Run:
        server = bench.server(candidate, Setup(large_bodies=True))
        return bench.wrk(
            server, request_headers(CURRENT_VERSION), 200,
            path=self._path, script=self._script, connections=CONNECTIONS,
        )
