"""A server process that is pinned to a core, has its own session, and is stopped by its process ID."""

import contextlib
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

START_SECONDS = 10
STOP_SECONDS = 3
IDLE_SECONDS = 0.5
# The share of a core below which a server counts as idle; timers are not work.
IDLE_SHARE = 0.05
# A server that stores files in its user's home folder stores them in the temporary folder instead.
HOME_VARIABLES = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def unwind_when_stopped():
    """Makes a stop from outside unwind like Ctrl-C, so that no process is left running."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))


class ServerFailed(Exception):
    """The server did not start, or exited."""


class Server:
    """A server program with all its children."""

    def __init__(self, name, command, port, cores, folder, environment=None,
                 start_seconds=START_SECONDS):
        self.name = name
        self.port = port
        self.folder = folder
        self._start_seconds = start_seconds
        self._log = Path(folder, f"{name}.log")
        # With its own session, Ctrl-C reaches only this program, which then stops the server, and all of
        # the server's children can be found by the session ID.
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                ["taskset", "-c", core_list(cores), *command],
                cwd=folder,
                env=os.environ | dict.fromkeys(HOME_VARIABLES, folder) | (environment or {}),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def wait_until_listening(self):
        deadline = time.monotonic() + self._start_seconds
        while time.monotonic() < deadline:
            if not self.is_running():
                raise ServerFailed(f"ended at once: {self._last_words()}")
            with socket.socket() as probe:
                probe.settimeout(1)
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise ServerFailed(f"does not listen after {self._start_seconds} s: {self._last_words()}")

    def wait_until_idle(self):
        """Waits until it has completed its own work, such as parsing large files after its start."""
        deadline = time.monotonic() + START_SECONDS
        used = self.cpu_seconds()
        while time.monotonic() < deadline:
            time.sleep(IDLE_SECONDS)
            before, used = used, self.cpu_seconds()
            if used - before <= IDLE_SECONDS * IDLE_SHARE:
                return
        raise ServerFailed(f"is not idle {START_SECONDS} s after its start")

    @property
    def pid(self):
        """The ID of the started process; its children have other IDs."""
        return self._process.pid

    def pids(self):
        """The IDs of the server's processes, including all children."""
        return [pid for pid, _ in self._members()]

    def is_running(self):
        return self._process.poll() is None

    def cpu_seconds(self):
        """The user and system time of the server and all its children so far."""
        return sum(ticks for _, ticks in self._members()) / TICKS_PER_SECOND

    def thread_seconds(self):
        """The same for each thread, by process ID and thread ID."""
        return {
            (pid, thread.name): sum(times(thread / "stat")[11:13]) / TICKS_PER_SECOND
            for pid, _ in self._members()
            for thread in Path(f"/proc/{pid}/task").iterdir()
        }

    def resident_bytes(self, field="Pss"):
        """The memory of the server and all its children; shared memory is counted once.

        Other processes of the same program share the pages of its file: `Pss_Anon` leaves out files.
        """
        kibibytes = 0
        for pid, _ in self._members():
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
            kibibytes += int(re.search(rf"^{field}:\s+(\d+) kB$", text, re.MULTILINE)[1])
        return kibibytes * 1024

    def hang_up(self):
        """Sends the signal that makes daemons reload their configuration."""
        self._process.send_signal(signal.SIGHUP)

    def stop(self):
        """Requests a shutdown, and kills all remaining processes."""
        self._process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_SECONDS)
        for pid, _ in self._members():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()

    def _members(self):
        """The process ID and the CPU ticks of every process in the server's session."""
        session = self._process.pid
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = times(stat)
            except OSError:
                continue
            if fields[3] == session:
                # utime and stime, and those of the children that have been waited for.
                yield int(stat.parent.name), sum(fields[11:15])

    def _last_words(self):
        lines = self._log.read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it printed nothing"


def thread_nanoseconds(task):
    """Returns the CPU time of a thread, whose folder in /proc is given; `stat` counts hundredths of a second."""
    return int((task / "schedstat").read_text().split()[0])


def times(stat):
    """Returns the fields of a `stat` file as numbers, starting with the state."""
    # The program's name can contain spaces; the fields after it start with the state, a letter.
    _, *numbers = stat.read_text().rpartition(")")[2].split()
    return [0, *map(int, numbers)]


def core_list(cores):
    """Returns the cores in the format of taskset."""
    return ",".join(map(str, cores))


def free_port():
    """Returns a port to which nothing is bound.

    It is below the range that Linux uses for outgoing connections (from 32768), because one of these could
    take it before the server does.
    """
    for port in random.sample(range(20_000, 32_000), 1_000):
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("no port is free from 20000 to 32000")
