"""The cost of an idle connection."""

import contextlib
import functools
import resource
import socket
import time

from ..appcall import CURRENT_VERSION, PATH, request_headers
from ..candidates import REFERENCE
from ..run import Column, Compared, Run
from ..setup import Setup

CONNECTIONS = 10_000
# Other descriptors of the measuring process and of each server, such as the backend's pool, logs, and
# Python's open files.
DESCRIPTORS = CONNECTIONS + 500
# Apps keep unused connections for tens of seconds. A proxy that parks such connections does so within this
# time, which is the same for all proxies.
SETTLE_SECONDS = 15


class IdleConnections:
    name = "idle"
    title = (
        f"{CONNECTIONS} idle keep-alive connections, {SETTLE_SECONDS} s after one forwarded request"
        " each"
    )
    reference = REFERENCE
    # Memory does not depend on other load.
    max_rounds = 1
    compared = (Compared("each", "memory per connection"),)
    columns = (
        Column("MiB before", "before", "{:.1f}"),
        Column("MiB with connections", "after", "{:.1f}"),
        Column("KiB/connection", "each", "{:.2f}"),
        Column(f"KiB, ratio to {REFERENCE}", "each", is_ratio=True),
    )

    def rows(self, bench):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard != resource.RLIM_INFINITY and hard < DESCRIPTORS:
            print(f"skipped: {self.name}: needs {DESCRIPTORS} file descriptors (ulimit -n)")
            return {}
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, DESCRIPTORS), hard))
        return {
            candidate.name: functools.partial(self._measure, bench, candidate)
            for candidate in bench.candidates
            if candidate.name in (REFERENCE, "caddy", "versiongate")
        }

    def _measure(self, bench, candidate, _):
        setup = Setup(clients=DESCRIPTORS)
        # Allocated memory is rarely returned, so each round uses a new process.
        with bench.fresh_server(candidate, setup) as server, contextlib.ExitStack() as cleanup:
            before = server.resident_bytes()
            faults = 0
            for _ in range(CONNECTIONS):
                connection = socket.create_connection(("127.0.0.1", server.port), timeout=10)
                cleanup.callback(connection.close)
                connection.sendall(REQUEST)
                faults += not connection.recv(4096).startswith(b"HTTP/1.1 200 ")
            time.sleep(SETTLE_SECONDS)
            after = server.resident_bytes()
        return Run({
            "before": before / 2**20,
            "after": after / 2**20,
            "each": (after - before) / 1024 / CONNECTIONS,
        }, (f"{faults} wrong statuses",) if faults else ())


REQUEST = (
    f"GET {PATH} HTTP/1.1\r\n"
    + "".join(f"{name}: {value}\r\n" for name, value in request_headers(CURRENT_VERSION).items())
    + "\r\n"
).encode()
