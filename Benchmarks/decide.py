#!/usr/bin/env python3
"""Compares decisions of the gate for other gateways with those of small authorizers in Go and Lua."""

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True

from decide import authorizers, gateways, report  # noqa: E402
from decide.bench import Bench  # noqa: E402
from decide.scenarios import Added, Cost  # noqa: E402
from sidebyside import machine, sections  # noqa: E402
from sidebyside.bench import measure_in_turns  # noqa: E402
from sidebyside.candidates import is_there  # noqa: E402
from sidebyside.options import BUILT_GATE, between  # noqa: E402
from sidebyside.report import is_clean  # noqa: E402
from sidebyside.server import ServerFailed, unwind_when_stopped  # noqa: E402

SCENARIOS = ("http-allowed", "http-denied", "grpc-allowed", "grpc-denied", "nginx-added", "envoy-added")


def read_options():
    parser = argparse.ArgumentParser(prog="Benchmarks/decide.py", description=__doc__)
    parser.add_argument("--gate", type=Path, default=BUILT_GATE, help="the binary of the gate")
    parser.add_argument("--rounds", type=between(1, 100), default=9)
    parser.add_argument("--seconds", type=between(1, 600), default=2, help="the length of a run at full load")
    parser.add_argument("--steady-seconds", type=between(1, 600), default=5, help="and of one at a steady rate")
    parser.add_argument("--rate", type=between(1, 100_000), default=1_000, help="requests per second at a steady rate")
    parser.add_argument("--connections", type=between(1, 512), default=64)
    parser.add_argument("--scenario", nargs="+", choices=SCENARIOS, default=SCENARIOS)
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write the report into this page")
    return parser.parse_args()


def command_line(options):
    """Returns the command for the report: all options that affect the figures, without paths of this machine."""
    command = (
        f"python3 Benchmarks/decide.py --rounds {options.rounds} --seconds {options.seconds}"
        f" --steady-seconds {options.steady_seconds} --rate {options.rate} --connections {options.connections}"
    )
    if len(options.scenario) < len(SCENARIOS):
        command += f" --scenario {' '.join(options.scenario)}"
    return command


def chosen_scenarios(options, http, grpc, gates):
    """Returns the scenarios that the options name; of the other authorizers over HTTP, nginx uses only Go's."""
    scenarios = [Cost("http", denied, http, "go-http") for denied in (False, True)]
    scenarios += [Cost("grpc", denied, grpc, "grpc-go") for denied in (False, True)]
    for gateway in gates:
        used = grpc if gateway.name == "envoy" else [each for each in http if each.name != "nginx-lua"]
        protocol = "grpc" if gateway.name == "envoy" else "http"
        scenarios.append(Added(gateway, protocol, used, options))
    return [each for each in scenarios if each.name in options.scenario]


def compare(options):
    gate = authorizers.gate(options.gate.resolve())
    others = [authorizers.go_http(), authorizers.nginx_lua(), authorizers.grpc_go()]
    there = [each for each in (gate, *others, gateways.nginx(), gateways.envoy()) if is_there(each)]
    http = [each for each in there if each.name in (gate.name, "go-http", "nginx-lua")]
    grpc = [each for each in there if each.name in (gate.name, "grpc-go")]
    gates = [each for each in there if each.name in ("nginx", "envoy")]
    warning = machine.busy_warning()
    with Bench(options) as bench:
        results = measure_in_turns(bench, chosen_scenarios(options, http, grpc, gates), options.rounds)
        shares_core = bench.shares_core
    facts = [machine.machine_line(there)]
    if shares_core:
        facts.append("An authorizer shares a core with its gateway; the load generator and the backend share the other core.")
    if warning:
        facts.append(warning)
    text = report.section(results, facts, command_line(options))
    print("\n" + text)
    if options.markdown:
        page = options.markdown.read_text() if options.markdown.exists() else "# Benchmarks\n"
        options.markdown.write_text(sections.with_section(page, text))
    met = all(report.is_met(*each) for each in report.measured_targets(results))
    return 0 if met and is_clean(results) else 1


def main():
    options = read_options()
    unwind_when_stopped()
    try:
        return compare(options)
    except (ServerFailed, machine.TooFewCores) as failure:
        return f"cannot measure: {failure}"
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
