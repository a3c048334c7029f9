"""Bodies of 1 MiB, to the client and to the backend."""

import functools

from .. import load
from ..appcall import CURRENT_VERSION, request_headers
from ..candidates import REFERENCE
from ..run import Column, Compared, Run
from ..setup import Setup
from ..traffic import DOWNLOAD


class Bodies:
    reference = REFERENCE
    compared = (
        Compared("cpu_microseconds", "CPU per MiB"),
        Compared("requests_per_second", "MiB/s", is_better_higher=True),
    )
    max_rounds = 3
    columns = (
        Column("MiB/s", "requests_per_second", "{:.0f}"),
        Column("CPU µs/MiB", "cpu_microseconds", "{:.0f}"),
        Column(f"CPU, ratio to {REFERENCE}", "cpu_microseconds", is_ratio=True),
        Column(f"MiB/s, ratio to {REFERENCE}", "requests_per_second", is_ratio=True),
    )

    def rows(self, bench):
        return {
            candidate.name: functools.partial(self._measure, bench, candidate)
            for candidate in bench.candidates
            if candidate.name != "nginx-lua"
        }


class Downloads(Bodies):
    name = DOWNLOAD.name
    title = f"{DOWNLOAD.title}, HTTP/1.1, one core"

    def rows(self, bench):
        reason = load.missing("http1")
        if reason:
            print(f"skipped: {self.name}: {reason}")
            return {}
        return super().rows(bench)

    def _measure(self, bench, candidate, number) -> Run:
        server = bench.server(candidate, Setup(large_bodies=True))
        return bench.load(server, DOWNLOAD, denied=False, seed=number + 1)


class Uploads(Bodies):
    name = "upload"
    title = "requests of 1 MiB, HTTP/1.1, one core"

    def _measure(self, bench, candidate, _) -> Run:
        server = bench.server(candidate, Setup(large_bodies=True))
        return bench.wrk(
            server, request_headers(CURRENT_VERSION), 200,
            path="/upload", script="upload.lua", connections=DOWNLOAD.connections,
        )
