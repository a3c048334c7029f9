"""The report: medians over the rounds, and ratios to the reference, round by round.

Wrong responses may be fast: a run with errors is excluded from the figures.
"""

import datetime
import statistics

from .candidates import GATE, REFERENCE
from .scenarios import HEADLINE_SCENARIOS
from .scenarios.real_traffic import COLUMNS

NOISE = "By the medians; where the range holds 1, it may be chance."


def report(results, facts):
    """Returns the report as Markdown: the summary, a table for each scenario, the facts."""
    tables = [
        *headline(results),
        f"### Where another one is ahead of the gate\n\n{ahead(results)}",
    ]
    tables += [
        f"### {scenario.name}: {scenario.title}\n\n{scenario_table(scenario, runs)}"
        for scenario, runs in results.items()
    ]
    return "\n\n".join([*tables, *facts]) + "\n"


def headline(results):
    """Returns the ratios of all kinds of traffic in one table for the time, and one for the throughput."""
    chosen = {each: results[each] for each in HEADLINE_SCENARIOS if each in results}
    if not chosen:
        return []
    names = list(dict.fromkeys(name for rows in chosen.values() for name in rows))
    tables = []
    for column in (each for each in COLUMNS if each.is_ratio):
        rows = [["", *names, "errors"]]
        for scenario, runs in chosen.items():
            baseline = runs.get(REFERENCE)
            cells = [ratio_text(runs.get(name, []), baseline, column.figure) for name in names]
            every = [run for each in runs.values() for run in each]
            rows.append([scenario.name, *cells, errors_text(every)])
        tables.append(f"### Real traffic: {column.heading}\n\n{markdown_table(rows)}")
    return tables


def ahead(results):
    """Returns a line for each figure in which another candidate is better than the gate, by the median."""
    lines = [
        f"- {scenario.name}: {name} with {text} of the gate's {compared.words}"
        for scenario, rows in results.items()
        for compared in scenario.compared
        for name, runs in rows.items()
        if name != GATE and (text := advantage(runs, rows.get(GATE), compared))
    ]
    return "\n".join([NOISE, "", *lines]) if lines else "Nowhere in these tables."


def advantage(runs, gate, compared):
    """Returns the ratio of another candidate's figure to the gate's, or None unless it is better."""
    ratios = ratios_of(runs, gate, compared.figure)
    if not ratios:
        return None
    median = statistics.median(ratios)
    is_better = median > 1 if compared.is_better_higher else median < 1
    return f"{median:.2f} ({min(ratios):.2f}..{max(ratios):.2f})" if is_better else None


def page(text, command):
    """Returns the report as a page."""
    date = datetime.date.today().isoformat()
    return (
        "# Benchmarks\n\nWritten by `make bench`. What is measured, how, and what it does not say: "
        "[Benchmarks/README.md](../Benchmarks/README.md).\n\n"
        f"## Side by side, {date}\n\n```sh\n{command}\n```\n\n{text}"
    )


def is_clean(results):
    """Returns whether every response of every run was right."""
    return all(run.is_clean for rows in results.values() for runs in rows.values() for run in runs)


def scenario_table(scenario, results):
    """Returns the table of one scenario, from the runs of each row in the order of the rounds."""
    baseline = results.get(scenario.reference)
    rows = [["", *(column.heading for column in scenario.columns), "errors"]]
    for name, runs in results.items():
        cells = [cell_text(runs, baseline, column) for column in scenario.columns]
        rows.append([name, *cells, errors_text(runs)])
    return markdown_table(rows)


def cell_text(runs, baseline, column):
    if column.is_ratio:
        return ratio_text(runs, baseline, column.figure)
    text = median_text(runs, column)
    if column.has_ratio and (ratios := ratios_of(runs, baseline, column.figure)):
        text += f" ({statistics.median(ratios):.2f})"
    return text


def median_text(runs, column):
    values = [run.figures[column.figure] for run in runs if run.is_clean]
    return column.layout.format(statistics.median(values)) if values else "–"


def ratio_text(runs, baseline, figure):
    ratios = ratios_of(runs, baseline, figure)
    if not ratios:
        return "–"
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f}..{max(ratios):.2f})"


def ratios_of(runs, baseline, figure):
    """Divides each run by the reference's run of the same round, which is minutes apart at most."""
    return [
        run.figures[figure] / reference.figures[figure]
        for run, reference in zip(runs, baseline or [], strict=bool(runs and baseline))
        if run.is_clean and reference.is_clean and reference.figures[figure] != 0
    ]


def errors_text(runs):
    faults = dict.fromkeys(fault for run in runs for fault in run.faults)
    return f"WRONG: {'; '.join(faults)}" if faults else "none"


def markdown_table(rows):
    """Returns a table with padding, so that it is readable in a terminal."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    # The first and the last column are text, those between them figures.
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:-1]), "-" * widths[-1]]
    heading, *body = rows
    return "\n".join(table_line(row, widths) for row in [heading, rule, *body])


def table_line(cells, widths):
    first, *figures, last = (
        cell.ljust(width) if index in (0, len(cells) - 1) else cell.rjust(width)
        for index, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "| " + " | ".join([first, *figures, last]) + " |"
