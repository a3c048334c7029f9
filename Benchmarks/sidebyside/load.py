"""The load generator in load/, which sends exact requests and checks every response."""

import contextlib
import json
import select
import subprocess
from pathlib import Path

from .appcall import BACKEND_BODY
from .packages import find_header, find_program
from .run import LoadFailed, Run
from .server import core_list

FOLDER = Path(__file__).parent.parent / "load"
# For each protocol, the linked libraries and the required headers.
LIBRARIES = {
    "http1": ((), ()),
    "http2": (("-lnghttp2", "-lssl", "-lcrypto"), ("nghttp2/nghttp2.h", "openssl/ssl.h")),
}
# The time that a phase can take in addition to its duration before it counts as hung, and the time
# for a phase without a duration.
GRACE_SECONDS = 15
COUNTED_SECONDS = 120
# The smallest number of eight digits.
FIRST_NUMBER = 10_000_000
HTTP2_CONNECTIONS = 10
STREAMS_EACH = 10


def missing(protocol):
    """Returns why there is no load generator for that protocol here, or None."""
    if find_program("cc") is None:
        return "there is no C compiler"
    absent = [header for header in LIBRARIES[protocol][1] if not find_header(header)]
    return f"there is no {absent[0]}" if absent else None


def build_load(folder, protocol):
    """Compiles it if necessary, and returns the path of the program."""
    program = Path(folder, f"load-{protocol}")
    if not program.exists():
        command = [
            "cc", "-O2", str(FOLDER / "load.c"), str(FOLDER / f"{protocol}.c"), "-o", str(program),
            "-lm", *LIBRARIES[protocol][0],
        ]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=120)
        except (OSError, subprocess.SubprocessError) as failure:
            words = getattr(failure, "stderr", failure)
            raise LoadFailed(f"no load generator: {words}") from failure
    return program


class Load:
    """A running load generator, whose connections are kept from one phase to the next."""

    def __init__(self, program, port, requests, *, status, connections, streams=1, cores=None,
                 by_zipf=False, seed=1, number=FIRST_NUMBER, body_bytes=len(BACKEND_BODY), rate=None):
        self.next_number = number
        command = [
            str(program), "--port", str(port), "--connections", str(connections), "--streams",
            str(streams), "--status", str(status), "--order", "zipf" if by_zipf else "cycle",
            "--seed", str(seed), "--number", str(number), str(requests),
        ]
        if status == 200:
            command[1:1] = ["--body", str(body_bytes)]
        if rate:
            command[1:1] = ["--rate", str(rate)]
        if cores:
            command = ["taskset", "-c", core_list(cores), *command]
        self._process = subprocess.Popen(
            command, bufsize=0,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )

    def __enter__(self):
        return self

    def __exit__(self, *error):
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()
        self._process.stderr.close()

    def run(self, *, seconds=None, requests=None, rounds=None):
        """Runs one phase, and returns its output; raises LoadFailed."""
        phase = f"requests {requests}" if rounds is None else f"rounds {rounds}"
        limit = COUNTED_SECONDS
        if seconds is not None:
            phase, limit = f"milliseconds {round(seconds * 1000)}", seconds + GRACE_SECONDS
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(phase.encode() + b"\n")
        if not select.select([self._process.stdout], [], [], limit)[0]:
            raise LoadFailed("the load generator hangs")
        line = self._process.stdout.readline().decode()
        if not line.startswith("RESULT "):
            self._process.kill()
            words = self._process.stderr.read().decode().strip()
            raise LoadFailed(f"no figures from the load generator: {words}")
        figures = json.loads(line.removeprefix("RESULT "))
        self.next_number = figures["next"]
        return figures


def faults_in(*phases):
    """Returns a description of the wrong responses."""
    faults = []
    for figure, words in (("wrong", "wrong responses"), ("socketErrors", "socket errors")):
        count = sum(phase[figure] for phase in phases)
        if count:
            faults.append(f"{count} {words}")
    return tuple(faults)


def run_from(warm_up, figures, cpu_seconds):
    """Returns the figures of a phase, with its faults and those of its warm-up."""
    requests = figures["requests"]
    if requests == 0:
        return Run.failed("; ".join(("no responses", *faults_in(warm_up, figures))))
    return Run({
        "requests_per_second": requests / figures["nanoseconds"] * 1e9,
        "cpu_microseconds": cpu_seconds / requests * 1e6,
        "p50_milliseconds": figures["p50"] / 1000,
        "p99_milliseconds": figures["p99"] / 1000,
    }, faults_in(warm_up, figures))
