"""The report: whether the targets are met, and a table for each scenario."""

import datetime
import statistics

from sidebyside.report import errors_text, markdown_table, scenario_table

from .scenarios import NO_AUTHORIZER
from .targets import TARGETS, added

HEADING = "Decisions for gateways"
UNKNOWN = "–"


def section(results, facts, command):
    """Returns the section of the page."""
    tables = [f"### {scenario.name}: {scenario.title}\n\n{table(scenario, rows)}" for scenario, rows in results.items()]
    return "\n\n".join([
        f"## {HEADING}, {datetime.date.today().isoformat()}",
        f"```sh\n{command}\n```",
        f"### Targets\n\n{target_table(results)}",
        *tables,
        *facts,
    ]) + "\n"


def target_table(results):
    """Returns a row for each target of the scenarios that were measured."""
    rows = [["", "ratio", "range or medians", "target", "met"]]
    for target, ratio in measured_targets(results):
        figures = [f"{ratio[0]:.2f}", ratio[1]] if ratio else [UNKNOWN, UNKNOWN]
        rows.append([
            f"{target.words}, ratio to {target.reference}", *figures, f"≤ {target.limit:.2f}",
            "yes" if is_met(target, ratio) else "NO",
        ])
    return markdown_table(rows)


def measured_targets(results):
    """Returns the targets of the scenarios that were measured, with their results."""
    scenarios = {scenario.name: rows for scenario, rows in results.items()}
    return [(each, each.result(scenarios[each.scenario])) for each in TARGETS if each.scenario in scenarios]


def is_met(target, ratio):
    return ratio is not None and ratio[0] <= target.limit


def table(scenario, rows):
    return added_table(rows) if NO_AUTHORIZER in rows else scenario_table(scenario, rows)


def added_table(rows):
    """Returns a table of medians in microseconds; those of differences with the smallest and the largest."""
    lines = [["", "p50 µs", "p99 µs", "added to p50", "added to p99", "errors"]]
    for name, runs in rows.items():
        cells = [median_text([run.figures[figure] for run in runs if run.is_clean]) for figure in ("p50", "p99")]
        if name == NO_AUTHORIZER:
            cells += [UNKNOWN, UNKNOWN]
        else:
            cells += [range_text(added(rows, name, figure)) for figure in ("p50", "p99")]
        lines.append([name, *cells, errors_text(runs)])
    return markdown_table(lines)


def median_text(values):
    return f"{statistics.median(values):.0f}" if values else UNKNOWN


def range_text(values):
    if not values:
        return UNKNOWN
    return f"{statistics.median(values):+.0f} ({min(values):+.0f}..{max(values):+.0f})"
