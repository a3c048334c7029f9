#!/usr/bin/env python3
"""Writes NOTICE: the components of a built gate, and their licenses.

The texts are the packages' own, as checked out by SwiftPM during a build. `--check` tests only whether all packages
are listed, and not their texts, because the versions of indirect dependencies may differ from one build to the next.
"""

import json
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
CHECKOUTS = PROJECT / ".build" / "checkouts"
APACHE = "Apache-2.0"
RULE = "=" * 79

# Third-party code inside linked packages.
PACKAGES = {
    "swift-argument-parser": (f"{APACHE} with Swift exception", []),
    "swift-async-algorithms": (f"{APACHE} with Swift exception", []),
    "swift-atomics": (f"{APACHE} with Swift exception", []),
    "swift-collections": (f"{APACHE} with Swift exception", []),
    "swift-log": (APACHE, []),
    "swift-nio": (APACHE, [("llhttp", "MIT"), ("SHA-1 of FreeBSD", "BSD-3-Clause"), ("uSHET", "MIT")]),
    "swift-nio-ssl": (
        APACHE,
        [
            ("BoringSSL", APACHE),
            ("fiat-crypto, in BoringSSL", f"MIT, {APACHE} or BSD-1-Clause; here {APACHE}"),
        ],
    ),
    "swift-service-lifecycle": (APACHE, []),
    "swift-system": (f"{APACHE} with Swift exception", []),
}

HEAD = """\
VersionGate
Copyright 2026 The VersionGate authors

Licensed under the Apache License, Version 2.0: see LICENSE.

The executable `versiongate` holds the following. `dev/notice.py` writes this file.
"""

TAIL = """\
Loaded at run time and not part of the executable: libcurl (curl licence), OpenSSL's libcrypto (Apache-2.0), libyaml
(MIT), hiredis (BSD-3-Clause), SQLite (public domain), and the C library, in the packages of the distribution and under
their terms there.
"""


def resolved() -> set[str]:
    """Returns the packages of the last build."""
    pins = json.loads((PROJECT / "Package.resolved").read_text())["pins"]
    return {pin["identity"] for pin in pins}


def first_comment(path: Path) -> str:
    """Returns the license at the top of a C file: the comment that names it."""
    for part in path.read_text().split("/*")[1:]:
        comment = part.split("*/")[0]
        if "SPDX-License-Identifier" in comment:
            lines = [line.strip().removeprefix("*").removeprefix("-").strip() for line in comment.splitlines()]
            return "\n".join(lines).strip()
    raise SystemExit(f"{path}: no license at its top")


def notice() -> str:
    if resolved() != PACKAGES.keys():
        odd = ", ".join(sorted(resolved() ^ PACKAGES.keys()))
        raise SystemExit(f"dev/notice.py: PACKAGES and Package.resolved differ in: {odd}")
    rows = []
    for name, (licence, parts) in PACKAGES.items():
        rows.append(f"  {name}: {licence}")
        rows += [f"    with {part}: {terms}" for part, terms in parts]
    rows.append(f"  Swift runtime, standard library, Dispatch, FoundationEssentials: {APACHE} with Swift exception")
    sections = [HEAD, "\n".join(rows) + "\n", TAIL]
    nio = CHECKOUTS / "swift-nio" / "Sources"
    texts = [
        ("llhttp: LICENSE", (nio / "CNIOLLHTTP" / "LICENSE").read_text()),
        ("SHA-1 of FreeBSD", first_comment(nio / "CNIOSHA1" / "c_nio_sha1.c")),
    ]
    for name in PACKAGES:
        for path in sorted((CHECKOUTS / name).glob("NOTICE*")):
            texts.append((f"{name}: {path.name}", path.read_text()))
    for title, text in texts:
        body = "\n".join(line.rstrip() for line in text.strip("\n").splitlines())
        sections.append(f"{RULE}\n{title}\n{RULE}\n\n{body}\n")
    return "\n".join(sections)


def main() -> None:
    path = PROJECT / "NOTICE"
    text = notice()
    if "--check" not in sys.argv[1:]:
        path.write_text(text)
    elif path.read_text().split(RULE)[0] != text.split(RULE)[0]:
        raise SystemExit("NOTICE does not match the packages: run dev/notice.py")


if __name__ == "__main__":
    main()
