"""Short turns of servers that run at the same time on one core, for machines whose speed changes all the time."""

import contextlib
import statistics
from pathlib import Path

from .load import faults_in
from .run import LoadFailed
from .server import thread_nanoseconds

# Two-sided, 95 percent, of Student's distribution, by the number of starts.
STUDENT = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 7: 2.45, 8: 2.36, 9: 2.31, 10: 2.26, 11: 2.23, 12: 2.20}


def cpu_nanoseconds(pids):
    """Returns the CPU time of all running threads of these processes so far."""
    time = 0
    for pid in pids:
        # A thread can end at any time.
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{pid}/task").iterdir():
                with contextlib.suppress(OSError):
                    time += thread_nanoseconds(task)
    if time == 0:
        raise LoadFailed("no CPU times: the server has ended, or the kernel has no schedstat")
    return time


def turn(pids, generator, requests):
    """Returns the CPU nanoseconds and the nanoseconds of a request."""
    before = cpu_nanoseconds(pids)
    figures = generator.run(requests=requests)
    cpu = cpu_nanoseconds(pids) - before
    if faults := faults_in(figures):
        raise LoadFailed("; ".join(faults))
    return cpu / figures["requests"], figures["nanoseconds"] / figures["requests"]


def mean_and_error(values):
    """Returns the mean, and how far its 95% confidence interval extends on each side."""
    return statistics.mean(values), STUDENT[len(values)] * statistics.stdev(values) / len(values) ** 0.5
