"""wrk, which sends the next request after each response."""

import json
import subprocess
from pathlib import Path

from .appcall import PATH, header_arguments
from .packages import find_program
from .run import LoadFailed, Run
from .server import core_list

SCRIPTS = Path(__file__).parent.parent / "wrk"
WARM_UP_SECONDS = 1
# The time that wrk can take in addition to its duration before it counts as hung.
GRACE_SECONDS = 15


def measure(server, headers, status, *, seconds, connections, cores, path=PATH, script=None):
    """Warms the server up, then measures it; every response must have that status.

    `script` is a Lua script for requests that consist of more than headers.
    """
    def run(report, duration):
        return run_wrk(
            [script, report] if script else [report], duration, server.port, headers,
            connections=connections, cores=cores, path=path,
        )

    try:
        statuses = run("statuses.lua", WARM_UP_SECONDS)
        cpu_before = server.cpu_seconds()
        figures = run("figures.lua", seconds)
        cpu = server.cpu_seconds() - cpu_before
        if not server.is_running():
            raise LoadFailed("the server has ended")
    except LoadFailed as failure:
        print(f"{server.name}: {failure}", flush=True)
        return Run.failed(failure)
    wrong_before = sum(count for each, count in statuses.items() if int(each) != status)
    return run_from(figures, cpu, wrong_before)


def run_wrk(scripts, seconds, port, headers, *, connections, cores, path):
    command = [
        "taskset", "-c", core_list(cores), find_program("wrk"), "--threads", "1",
        "--connections", str(connections), "--duration", f"{seconds}s",
        "--latency", "--timeout", "5s", "--script", str(SCRIPTS / scripts[-1]),
        *header_arguments(headers, "--header"), f"http://127.0.0.1:{port}{path}",
    ]
    # wrk accepts one script: the reporting script loads the other one.
    command += ["--", *(str(SCRIPTS / each) for each in scripts[:-1])]
    try:
        limit = seconds + GRACE_SECONDS
        run = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired as error:
        raise LoadFailed("wrk hangs") from error
    for line in run.stdout.splitlines():
        if line.startswith("RESULT "):
            return json.loads(line.removeprefix("RESULT "))
    raise LoadFailed(f"no figures from wrk: {(run.stdout + run.stderr).strip()}")


def run_from(figures, cpu_seconds, wrong_in_warm_up):
    requests = figures["requests"]
    if requests == 0:
        return Run.failed("no responses")
    # Here, wrk counts only statuses "above 399"; the warm-up has checked each status.
    wrong = wrong_in_warm_up + figures["aboveStatus399"]
    faults = []
    if wrong:
        faults.append(f"{wrong} wrong statuses")
    if figures["socketErrors"]:
        faults.append(f"{figures['socketErrors']} socket errors")
    seconds = figures["microseconds"] / 1e6
    return Run({
        "requests_per_second": requests / seconds,
        "cpu_microseconds": cpu_seconds / requests * 1e6,
        "p50_milliseconds": figures["p50"] / 1000,
        "p99_milliseconds": figures["p99"] / 1000,
    }, tuple(faults))
