"""valgrind's callgrind, which counts the instructions that a process executes in user space."""

import re
import subprocess
import time
from pathlib import Path

from .run import LoadFailed

FILE = "count"
START_SECONDS = 60
CONTROL_SECONDS = 30


def command(folder, from_start=True):
    """Returns the command prefix that counts a program's instructions, in files in the folder."""
    return [
        "valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/{FILE}", "-q",
        f"--instr-atstart={'yes' if from_start else 'no'}",
    ]


def without_debug_information(binary, folder):
    """Returns a copy of the program; valgrind fails on debug information of the gate's size."""
    copy = Path(folder, Path(binary).name)
    subprocess.run(["strip", "--strip-debug", "-o", copy, binary], check=True)
    return copy


class Counter:
    """The counts of a process that was started with `command`."""

    def __init__(self, pid, folder):
        self._pid = pid
        self._folder = folder
        self._dumps = 0

    def switch(self, is_on):
        """Turns counting on or off; without it, the process is several times as fast."""
        self._control(f"--instr={'on' if is_on else 'off'}")

    def count(self):
        """Returns the number of instructions since the last count."""
        self._dumps += 1
        self._control("--dump")
        totals = 0
        # A dump is one file for all threads.
        path = Path(self._folder, f"{FILE}.{self._dumps}")
        deadline = time.monotonic() + CONTROL_SECONDS
        while not path.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        for line in path.read_text(errors="replace").splitlines():
            match = re.match(r"(?:totals|summary): (\d+)", line)
            if match:
                totals = int(match[1])
        path.unlink()
        return totals

    def _control(self, option):
        command = ["callgrind_control", option, str(self._pid)]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=CONTROL_SECONDS)
        except subprocess.SubprocessError as failure:
            raise LoadFailed(f"callgrind does not count: {failure}") from failure
