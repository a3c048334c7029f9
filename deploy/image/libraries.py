#!/usr/bin/env python3
"""Copies the shared libraries that a program loads, directly or indirectly, from one root into another.

Usage: libraries.py FROM TO PROGRAM
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

# The libraries that the C library opens at run time for host lookups.
OPENED = ["libnss_dns.so.2", "libnss_files.so.2", "libresolv.so.2"]


def needed(path: Path) -> list[str]:
    text = subprocess.run(["readelf", "--wide", "--dynamic", "--program-headers", path],
                          capture_output=True, text=True, check=True).stdout
    loader = re.search(r"program interpreter: (\S+)\]", text)
    return re.findall(r"\(NEEDED\).*\[(.+)\]", text) + ([Path(loader[1]).name] if loader else [])


def main() -> None:
    source, target, program = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    found: dict[str, Path] = {}
    for folder in ("lib", "usr/lib", "lib64", "usr/lib64"):
        for path in (source / folder).rglob("*.so*"):
            found.setdefault(path.name, path)
    waiting, copied = [*needed(source / program), *OPENED], set()
    while waiting:
        name = waiting.pop()
        if name in copied:
            continue
        copied.add(name)
        if name not in found:
            raise SystemExit(f"{name}: not in {source}")
        path = found[name]
        # Symbolic links in the root may be absolute.
        while path.is_symlink():
            link = os.readlink(path)
            path = source / link.lstrip("/") if link.startswith("/") else path.parent / link
        folder = "usr/lib64" if name.startswith("ld-linux-x86-64") else "usr/lib"
        place = target / folder / name
        shutil.copyfile(path, place)
        place.chmod(0o755)
        waiting += needed(path)


if __name__ == "__main__":
    main()
