"""The command line."""

import argparse
from pathlib import Path

from .candidates import PEERS, gate
from .scenarios import SCENARIOS

BUILT_GATE = Path(__file__).parent.parent.parent / ".build" / "release" / "versiongate"


def read_options(description):
    names = [candidate.name for candidate in all_candidates(BUILT_GATE)]
    scenarios = [scenario.name for scenario in SCENARIOS]
    parser = argparse.ArgumentParser(prog="Benchmarks/run.py", description=description)
    parser.add_argument("--gate", type=Path, default=BUILT_GATE, help="the gate's binary")
    parser.add_argument("--rounds", type=between(1, 100), default=4)
    parser.add_argument("--seconds", type=between(1, 600), default=1, help="the length of a run")
    parser.add_argument("--connections", type=between(1, 512), default=64)
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="CANDIDATE",
                        help=f"measure only these candidates of {', '.join(names)}")
    parser.add_argument("--scenario", nargs="+", choices=scenarios, default=scenarios)
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write the report to this file")
    parser.add_argument("--no-install", dest="install", action="store_false",
                        help="skip missing programs instead of installing them with apt")
    return parser.parse_args()


def between(least, most):
    """A whole number within limits, so that the duration of every comparison is bounded."""
    def number(text):
        value = int(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{value} is not between {least} and {most}")
        return value
    return number


def all_candidates(gate_path):
    return [*PEERS, gate(gate_path.resolve())]


def chosen_candidates(options):
    return [each for each in all_candidates(options.gate) if each.name in options.only]


def chosen_scenarios(options):
    return [each for each in SCENARIOS if each.name in options.scenario]


def command_line(options):
    """Returns the command for the report: all options that affect the figures, without this machine's paths."""
    command = (
        f"python3 Benchmarks/run.py --rounds {options.rounds} --seconds {options.seconds}"
        f" --connections {options.connections}"
    )
    if len(options.only) < len(all_candidates(options.gate)):
        command += f" --only {' '.join(options.only)}"
    if len(options.scenario) < len(SCENARIOS):
        command += f" --scenario {' '.join(options.scenario)}"
    return command
