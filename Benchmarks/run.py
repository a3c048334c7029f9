#!/usr/bin/env python3
"""Compares the gate with its alternatives, side by side."""

import sys

sys.dont_write_bytecode = True

from sidebyside import machine, options, packages, report, sections  # noqa: E402
from sidebyside.bench import Bench, measure_in_turns  # noqa: E402
from sidebyside.candidates import is_there  # noqa: E402
from sidebyside.server import ServerFailed, unwind_when_stopped  # noqa: E402


def main():
    chosen = options.read_options(__doc__)
    unwind_when_stopped()
    try:
        return compare(chosen)
    except (ServerFailed, machine.TooFewCores) as failure:
        return f"cannot measure: {failure}"
    except KeyboardInterrupt:
        return 130


def compare(chosen):
    if chosen.install:
        packages.install_missing()
    for program in ("nginx", "wrk", "taskset"):
        if packages.find_program(program) is None:
            return f"cannot measure without {program}"
    candidates = [each for each in options.chosen_candidates(chosen) if is_there(each)]
    proxy_cores, load_cores = machine.split_cores()
    warning = machine.busy_warning()
    with Bench(candidates, chosen, proxy_cores, load_cores) as bench:
        results = measure_in_turns(bench, options.chosen_scenarios(chosen), chosen.rounds)
    facts = [machine.machine_line(candidates)] + ([warning] if warning else [])
    text = report.report(results, facts)
    print("\n" + text)
    if chosen.markdown:
        old = chosen.markdown.read_text() if chosen.markdown.exists() else ""
        page = report.page(text, options.command_line(chosen))
        chosen.markdown.write_text(sections.with_others(page, old))
    return 0 if report.is_clean(results) else 1


if __name__ == "__main__":
    sys.exit(main())
