"""Counts how many of the HTTP/2 uploads that are denied behind a proxy get their denial."""

import time
from collections import Counter

from .cases import KILOBYTE, OLD, Case, Upload
from .clients import CLIENTS
from .outcome import judge
from .servers import WAITING_GATE
from .visit import Visit

SMALL = tuple(size * KILOBYTE for size in (10, 30, 60) for _ in range(25))
LARGE = (3 * KILOBYTE**2,) * 20
PROGRAMS = ("curl", "h2")
# The time limit for one program's uploads through one proxy; uploads that take longer count as lost.
BUDGET = 120


def upload_case(size):
    return Case(f"{size // KILOBYTE}k", "", "POST", version=OLD, upload=Upload(size))


def upload_table(servers, certificate, folder):
    """Returns `{server: {program: {"small" or "large": [seen, of, {other result: count}]}}}`."""
    table = {}
    clients = {client.key: client for client in CLIENTS}
    for name, server in servers.items():
        if name in ("nginx", WAITING_GATE):
            continue
        for program in PROGRAMS:
            with Visit(clients[program], certificate, folder) as visit:
                for kind, sizes in (("small", SMALL), ("large", LARGE)):
                    row = count(visit, server, sizes)
                    table.setdefault(name, {}).setdefault(program, {})[kind] = row
                    print(f"{name}, {program}, {kind} uploads: {row[0]} of {row[1]} {row[2] or ''}", flush=True)
    return table


def count(visit, server, sizes):
    seen, others = 0, Counter()
    deadline = time.monotonic() + BUDGET
    for size in sizes:
        if time.monotonic() > deadline:
            others["no time left"] += 1
            continue
        case = upload_case(size)
        _, request = visit.request(server, "2", case)
        request["timeout"] = 5
        outcome = judge(case, visit.ask(request))
        if outcome.kind == "seen":
            seen += 1
        else:
            others[outcome.text] += 1
    return [seen, len(sizes), dict(others)]


def lost_uploads(table):
    """Returns a line for each row with missing denials."""
    return [
        f"{name}, {program}, {kind}: {row[0]} of {row[1]} ({', '.join(row[2])})"
        for name, programs in table.items() for program, kinds in programs.items() for kind, row in kinds.items()
        if row[0] < row[1]
    ]
