"""The machine on which the measurements run."""

import os
import platform
import re
import subprocess
from pathlib import Path

from .packages import find_program


class TooFewCores(Exception):
    """The minimum is one core for the proxies and one for the load."""


def split_cores():
    """Returns the proxies' core, and the cores of the load generator and the backend."""
    first, *others = sorted(os.sched_getaffinity(0))
    if not others:
        raise TooFewCores("needs two cores: one for the proxy, one for load and backend")
    return [first], others


def machine_line(candidates):
    """Returns one line with the information that is needed to interpret the figures."""
    facts = [
        cpu_model(),
        f"{os.cpu_count()} cores",
        f"{platform.system()} {platform.release()}",
        *(f"{each.name} {printed_version(each.version_command())}" for each in candidates),
        *(
            f"{tool} {printed_version([find_program(tool), option])}"
            for tool, option in (("wrk", "-v"), ("h2load", "--version"))
            if find_program(tool)
        ),
    ]
    return f"Machine: {'; '.join(facts)}."


def cpu_model():
    model = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return model[1] if model else platform.machine()


def printed_version(command):
    """Returns the first version number in the output of the command."""
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "of unknown version"
    version = re.search(r"\d+\.\d+[\w.+~-]*", run.stdout + run.stderr)
    return version[0] if version else "of unknown version"


def busy_warning():
    """Returns a warning if other programs are running, or None."""
    load = os.getloadavg()[0]
    if load < 0.5:
        return None
    return f"The machine was busy at the start (load {load:.1f}): these figures are not reliable."
