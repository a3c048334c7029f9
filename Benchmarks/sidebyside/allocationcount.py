"""Counts a program's allocations with a library from the tests that is loaded before the C library."""

import struct
import subprocess
from pathlib import Path

SOURCES = Path(__file__).parent.parent.parent / "Tests" / "AllocationCounter"
VARIABLE = "ALLOCATION_COUNT"
FILE = "allocations"


def build_counter(folder):
    """Compiles the library if necessary, and returns its path."""
    library = Path(folder, "liballocationcounter.so")
    if not library.exists():
        command = ["cc", "-O2", "-shared", "-fPIC", "-I", str(SOURCES / "include"),
                   str(SOURCES / "AllocationCounter.c"), "-o", str(library)]
        subprocess.run(command, check=True, capture_output=True, timeout=60)
    return library


def environment(library, folder):
    """Returns the environment variables that count a program's allocations into a file in the folder."""
    return {"LD_PRELOAD": str(library), VARIABLE: str(Path(folder, FILE))}


def read_count(folder):
    """Returns the number of allocations so far."""
    return struct.unpack("=Q", Path(folder, FILE).read_bytes())[0]
