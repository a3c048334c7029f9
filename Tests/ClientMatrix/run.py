#!/usr/bin/env python3
"""Runs the matrix of real clients, and writes docs/client-matrix.md."""

import argparse
import json
import shutil
import sys
import time
from pathlib import Path

from matrix import page
from matrix.adapter_process import AdapterFailure
from matrix.cases import BEHIND_PROXY, BY_NAME, CASES
from matrix.clients import CLIENTS
from matrix.places import BUILT, ROOT, Certificate
from matrix.proxies import PROXIES, WAITING, Proxy
from matrix.servers import WAITING_GATE, DenyingNginx, Gate
from matrix.visit import BuildFailure, Visit, build
from matrix.uploads import lost_uploads, upload_table

RESULTS = BUILT / "results.json"
SERVER_NAMES = ("gate", "nginx", *(f"behind-{name}" for name in PROXIES))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gate", default=ROOT / ".build/release/versiongate", type=Path, help="the executable")
    parser.add_argument("--clients", help="client keys, separated by commas; default: all")
    parser.add_argument("--cases", help="case names, separated by commas; default: all")
    parser.add_argument("--servers", help="gate, nginx, or a proxy, separated by commas; default: all")
    parser.add_argument("--skip-uploads", action="store_true", help="leave out the table of uploads behind proxies")
    parser.add_argument("--markdown", type=Path, help="the path of the page")
    parser.add_argument("--render", action="store_true", help="write the page from the existing results")
    return parser.parse_args()


def chosen(text, known, what):
    if not text:
        return list(known)
    names = text.split(",")
    unknown = set(names) - set(known)
    if unknown:
        raise SystemExit(f"no {what} is named {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return [name for name in known if name in names]


def start_servers(names, folder, gate_path, certificate):
    """Returns the servers by name, and the reasons why others do not run."""
    servers, missing = {}, {}
    servers["gate"] = Gate(folder / "gate", gate_path, certificate)
    servers[WAITING_GATE] = Gate(folder / WAITING_GATE, gate_path, certificate, WAITING)
    for name in names:
        if name == "gate":
            continue
        try:
            if name == "nginx":
                servers[name] = DenyingNginx(folder / "nginx", certificate)
            else:
                proxy = name.removeprefix("behind-")
                gate = servers[WAITING_GATE if PROXIES[proxy].gate_waits else "gate"]
                servers[name] = Proxy(proxy, folder / name, gate, certificate)
        except (OSError, RuntimeError) as error:
            missing[name] = str(error)
            print(f"{name} is left out: {error}", file=sys.stderr)
    return servers, missing


def main():
    given = arguments()
    # A partial run is merged into the existing results; a full run replaces them.
    goes_on = given.render or is_partial(given)
    results = json.loads(RESULTS.read_text()) if goes_on and RESULTS.exists() else page.empty_results()
    if not given.render:
        results = run(given, results)
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    if given.markdown:
        given.markdown.write_text(page.render(results))
    missed = page.missed(results)
    for line in missed:
        print(f"NOT SEEN without a proxy: {line}")
    for line in lost_uploads(results["uploads"]):
        print(f"LOST UPLOADS: {line}")
    print(f"{len(missed)} cells without a proxy lack the denial")
    return 1 if missed else 0


def is_partial(given):
    return bool(given.clients or given.cases or given.servers)


def run(given, results):
    clients = {client.key: client for client in CLIENTS}
    keys = chosen(given.clients, clients, "client")
    names = chosen(given.servers, SERVER_NAMES, "server")
    folder = BUILT / "run"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    certificate = Certificate(folder)
    servers, missing = start_servers(names, folder, given.gate.resolve(), certificate)
    results["missing_servers"] = missing
    results["servers"].update({name: server.version for name, server in servers.items()})
    began = time.monotonic()
    try:
        for key in keys:
            try:
                visit_all(clients[key], given, servers, results, certificate, folder)
            except (AdapterFailure, BuildFailure) as failure:
                results["missing_clients"][key] = str(failure)
                print(f"{key} is left out: {failure}", file=sys.stderr)
        if not given.skip_uploads:
            results["uploads"] = upload_table(servers, certificate, folder)
    finally:
        for server in servers.values():
            server.stop()
    if not is_partial(given):
        results["seconds"] = round(time.monotonic() - began)
    results["date"] = time.strftime("%Y-%m-%d")
    return results


def visit_all(client, given, servers, results, certificate, folder):
    """Builds a client, and runs all cases with it on all servers."""
    build(client)
    case_names = chosen(given.cases, BY_NAME, "case")
    with Visit(client, certificate, folder) as visit:
        for http in client.http:
            for name, server in servers.items():
                if name not in chosen(given.servers, SERVER_NAMES, "server"):
                    continue
                behind = name.startswith("behind-")
                cases = [case for case in CASES if case.name in case_names and (not behind or case.name in BEHIND_PROXY)]
                cells = visit.play(server, http, cases)
                results["cells"].setdefault(f"{client.key} {http}", {}).setdefault(name, {}).update(cells)
                seen = "  ".join(f"{case}={cell['text']}" for case, cell in cells.items())
                print(f"{client.key} {http} {name}: {seen}", flush=True)
        results["clients"][client.key] = visit.version
        results["missing_clients"].pop(client.key, None)


if __name__ == "__main__":
    sys.exit(main())
