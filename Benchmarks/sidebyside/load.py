"""One run of the load generator against one candidate."""

import dataclasses
import json
import math
import subprocess
from pathlib import Path

from .packages import find_program
from .server import core_list

SCRIPTS = Path(__file__).parent.parent / "wrk"
WARM_UP_SECONDS = 1
# What wrk may take on top of its duration before it counts as hung.
GRACE_SECONDS = 15


class LoadFailed(Exception):
    """The load generator gave no figures."""


@dataclasses.dataclass(frozen=True)
class Run:
    """The figures of one run. Those of a run without a single answer are not a number."""

    requests_per_second: float
    cpu_microseconds: float
    p50_milliseconds: float
    p99_milliseconds: float
    wrong_statuses: int
    socket_errors: int

    @classmethod
    def failed(cls):
        """The run of a candidate that is no longer there."""
        return cls(math.nan, math.nan, math.nan, math.nan, 0, 0)

    @property
    def has_answers(self):
        return not math.isnan(self.requests_per_second)

    @property
    def is_clean(self):
        """Whether there were answers, and all of them right."""
        return self.has_answers and self.wrong_statuses == self.socket_errors == 0


class Load:
    """The load generator with everything that is the same for all runs."""

    def __init__(self, connections, seconds, cores):
        self._connections = connections
        self._seconds = seconds
        self._cores = cores

    def measure(self, server, scenario):
        """Warms the server up, then measures it."""
        try:
            statuses = self._wrk("statuses.lua", WARM_UP_SECONDS, server.port, scenario)
            cpu_before = server.cpu_seconds()
            figures = self._wrk("figures.lua", self._seconds, server.port, scenario)
            cpu = server.cpu_seconds() - cpu_before
            if not server.is_running():
                raise LoadFailed("the server has ended")
        except LoadFailed as failure:
            print(f"{server.name}, {scenario.name}: {failure}")
            return Run.failed()
        statuses = {int(status): count for status, count in statuses.items()}
        return run_from(figures, cpu, scenario, scenario.wrong_statuses(statuses))

    def _wrk(self, script, seconds, port, scenario):
        command = [
            "taskset", "-c", core_list(self._cores), find_program("wrk"), "--threads", "1",
            "--connections", str(self._connections), "--duration", f"{seconds}s",
            "--latency", "--timeout", "5s", "--script", str(SCRIPTS / script),
        ]
        for name, value in scenario.headers.items():
            command += ["--header", f"{name}: {value}"]
        command.append(f"http://127.0.0.1:{port}/v2/items/48213")
        try:
            limit = seconds + GRACE_SECONDS
            run = subprocess.run(
                command, capture_output=True, text=True, timeout=limit, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise LoadFailed("wrk hangs") from error
        for line in run.stdout.splitlines():
            if line.startswith("RESULT "):
                return json.loads(line.removeprefix("RESULT "))
        raise LoadFailed(f"no figures from wrk: {(run.stdout + run.stderr).strip()}")


def run_from(figures, cpu_seconds, scenario, wrong_in_warm_up):
    requests = figures["requests"]
    if requests == 0:
        return Run.failed()
    # wrk knows only "above 399" here; the warm-up has looked at each status.
    refused = figures["aboveStatus399"]
    wrong = refused if scenario.status < 400 else requests - refused
    return Run(
        requests_per_second=requests / figures["microseconds"] * 1e6,
        cpu_microseconds=cpu_seconds / requests * 1e6,
        p50_milliseconds=figures["p50"] / 1000,
        p99_milliseconds=figures["p99"] / 1000,
        wrong_statuses=wrong + wrong_in_warm_up,
        socket_errors=figures["socketErrors"],
    )
