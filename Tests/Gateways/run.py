#!/usr/bin/env python3
"""Runs the gate with real gateways and the configurations of docs/gateways, and compares what clients see."""

import argparse
import importlib
import json
import shutil
import subprocess
import sys
import time
from concurrent import futures
from pathlib import Path

import table
from cases import CASES, recovered
from gateway import OTHER, ROUTES, Missing
from places import BUILT, HERE, ROOT, Certificate

MODULES = ("nginx", "haproxy", "caddy", "traefik", "apache", "envoy")
EXPECTED = HERE / "expected.json"
# The columns of --quick, which need nothing but Debian's packages.
QUICK = ("nginx", "nginx-streamed", "haproxy")


def gateways():
    """Returns the classes of all gateways, in the order of the table."""
    found = []
    for name in MODULES:
        if (HERE / f"{name}.py").exists():
            found += importlib.import_module(name).GATEWAYS
    return found


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gate", default=ROOT / ".build/release/versiongate", type=Path, help="the executable")
    parser.add_argument("--only", help="keys of gateways, separated by commas")
    parser.add_argument("--cases", help="names of cases, separated by commas")
    parser.add_argument("--quick", action="store_true", help="without slow cases, and only with gateways of Debian")
    parser.add_argument("--at-once", type=int, default=1, help="the number of gateways that run at the same time")
    parser.add_argument("--record", action="store_true", help="write the results as the expected ones")
    parser.add_argument("--markdown", type=Path, help="the path of the page with the table")
    return parser.parse_args()


def chosen(given):
    kinds = gateways()
    names = set((given.only or ",".join(QUICK if given.quick else (kind.key for kind in kinds))).split(","))
    if unknown := names - {kind.key for kind in kinds}:
        known = ", ".join(kind.key for kind in kinds)
        raise SystemExit(f"no gateway is named {', '.join(sorted(unknown))}; there are {known}")
    return [kind for kind in kinds if kind.key in names]


def visit(kind, given, certificate, cases):
    """Runs all cases with one gateway, and returns its version and the cells."""
    gateway = kind(BUILT / kind.key, given.gate.resolve(), certificate)
    cells, variant = {}, ""
    try:
        gateway.start()
        if not recovered(gateway):
            raise RuntimeError("an old build is not denied within 10 s")
        for case in sorted(cases, key=lambda case: ("", OTHER, ROUTES).index(case.variant)):
            if case.variant and case.variant not in gateway.variants:
                continue
            if case.variant != variant:
                variant = case.variant
                gateway.restart(variant)
                recovered(gateway)
            try:
                cells[case.name] = case.run(gateway)
            except Exception as error:
                cells[case.name] = f"{type(error).__name__}: {error}"
            if not given.quick:
                sys.stdout.write(f"{kind.key}, {case.name}: {cells[case.name]}\n")
    finally:
        gateway.stop()
    return {"version": gateway.version, "cells": cells}


def main():
    given = arguments()
    names = given.cases.split(",") if given.cases else [case.name for case in CASES]
    cases = [case for case in CASES if case.name in names and not (given.quick and case.slow)]
    shutil.rmtree(BUILT, ignore_errors=True)
    BUILT.mkdir(parents=True)
    certificate = Certificate(BUILT)
    kinds, results, missing = chosen(given), {}, []
    with futures.ThreadPoolExecutor(given.at_once) as pool:
        running = {kind: pool.submit(visit, kind, given, certificate, cases) for kind in kinds}
        for kind, future in running.items():
            try:
                results[kind.key] = future.result()
            except (Missing, RuntimeError, ValueError, OSError) as error:
                missing.append(f"{kind.key} does not run: {error}")
    expected = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
    if given.record:
        for key, result in results.items():
            expected.setdefault(key, {}).update(result["cells"])
        EXPECTED.write_text(json.dumps(expected, indent=1, ensure_ascii=False) + "\n")
    wrong = [line for key, result in results.items() for line in table.differences(key, result["cells"], expected)]
    if given.markdown:
        version = subprocess.run([given.gate, "version"], capture_output=True, text=True).stdout
        text = table.render(gateways(), results, ", ".join(version.splitlines()[:2]), time.strftime("%Y-%m-%d"))
        given.markdown.write_text(text)
    for line in missing + wrong:
        print(f"DIFFERS: {line}")
    count = sum(len(result["cells"]) for result in results.values())
    print(f"{count} cells of {len(results)} gateways, {len(wrong)} not as expected, {len(missing)} gateways missing")
    return 1 if wrong or missing else 0


if __name__ == "__main__":
    sys.exit(main())
