"""The gate's wall clock, which jumps."""

import os
from pathlib import Path

LIBRARIES = Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1")


class WallClock:
    def __init__(self, folder):
        self._offset = folder / "clock"
        self.set(0)
        self._library = next(LIBRARIES, None)
        if self._library is None:
            raise SystemExit("a clock that jumps needs the package faketime")

    def set(self, seconds):
        """Sets the clock's offset from the real time; the gate sees it within a second."""
        new = self._offset.with_suffix(".new")
        new.write_text(f"{seconds:+d}\n")
        new.rename(self._offset)

    def environment(self):
        """The environment of a process that uses the clock; its other clocks are not affected."""
        return os.environ | {
            "LD_PRELOAD": str(self._library),
            "FAKETIME_TIMESTAMP_FILE": str(self._offset),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
        }
