"""The load generator in load/load.c, for answers that one core of wrk cannot ask for fast enough."""

import json
import subprocess
from pathlib import Path

from .appcall import PATH
from .run import LoadFailed, Run
from .server import core_list

SOURCE = Path(__file__).parent.parent / "load" / "load.c"
WARM_UP_SECONDS = 1
# What it may take on top of its duration before it counts as hung.
GRACE_SECONDS = 15


def build_load(folder):
    """Compiles it, unless that was done, and returns the path of the program."""
    program = Path(folder, "load")
    if not program.exists():
        command = ["cc", "-O2", str(SOURCE), "-o", str(program)]
        subprocess.run(command, check=True, capture_output=True, timeout=60)
    return program


def measure(program, server, headers, status, *, seconds, connections, cores):
    """Warms the server up, then measures it; every answer must have that status."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    request = f"GET {PATH} HTTP/1.1\r\n{lines}\r\n".encode()

    def run(duration):
        command = [
            "taskset", "-c", core_list(cores), str(program), str(server.port), str(connections),
            str(duration), str(status),
        ]
        return run_load(command, request, duration)

    try:
        run(WARM_UP_SECONDS)
        cpu_before = server.cpu_seconds()
        figures = run(seconds)
        cpu = server.cpu_seconds() - cpu_before
        if not server.is_running():
            raise LoadFailed("the server has ended")
    except LoadFailed as failure:
        print(f"{server.name}: {failure}", flush=True)
        return Run.failed(failure)
    return run_from(figures, cpu)


def run_load(command, request, seconds):
    try:
        limit = seconds + GRACE_SECONDS
        run = subprocess.run(command, input=request, capture_output=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired as error:
        raise LoadFailed("the load generator hangs") from error
    output = run.stdout.decode()
    if not output.startswith("RESULT "):
        raise LoadFailed(f"no figures from the load generator: {run.stderr.decode().strip()}")
    return json.loads(output.removeprefix("RESULT "))


def run_from(figures, cpu_seconds):
    requests = figures["requests"]
    if requests == 0:
        return Run.failed("no answers")
    faults = []
    if figures["wrong"]:
        faults.append(f"{figures['wrong']} wrong answers")
    if figures["socketErrors"]:
        faults.append(f"{figures['socketErrors']} socket errors")
    return Run({
        "requests_per_second": requests / figures["microseconds"] * 1e6,
        "cpu_microseconds": cpu_seconds / requests * 1e6,
        "p50_milliseconds": figures["p50"] / 1000,
        "p99_milliseconds": figures["p99"] / 1000,
    }, tuple(faults))
