"""The report: medians over the rounds, and ratios to the reference round by round."""

import datetime
import statistics

def report(results, facts):
    """All of it as text that is Markdown too: a table for each scenario, then the facts."""
    tables = [
        f"### {scenario.name}: {scenario.title}\n\n{scenario_table(scenario, runs)}"
        for scenario, runs in results.items()
    ]
    return "\n\n".join([*tables, *facts]) + "\n"


def page(text, command):
    """The report as a page."""
    date = datetime.date.today().isoformat()
    return (
        "# Benchmarks\n\nWritten by `make bench`. What is measured, how, and what it does not say: "
        "[Benchmarks/README.md](../Benchmarks/README.md).\n\n"
        f"## Side by side, {date}\n\n```sh\n{command}\n```\n\n{text}"
    )


def is_clean(results):
    """Whether every answer of every run was right."""
    return all(run.is_clean for rows in results.values() for runs in rows.values() for run in runs)


def scenario_table(scenario, results):
    """The table of one scenario, from the runs of each row in the order of the rounds."""
    baseline = results.get(scenario.reference)
    rows = [["", *(column.heading for column in scenario.columns), "errors"]]
    for name, runs in results.items():
        cells = [
            ratio_text(runs, baseline, column.figure) if column.is_ratio
            else median_text(runs, column)
            for column in scenario.columns
        ]
        rows.append([name, *cells, errors_text(runs)])
    return markdown_table(rows)


def median_text(runs, column):
    values = [run.figures[column.figure] for run in runs if run.figures]
    return column.layout.format(statistics.median(values)) if values else "–"


def ratio_text(runs, baseline, figure):
    """Each run is divided by the reference's run of the same round, minutes apart at most."""
    ratios = [
        run.figures[figure] / reference.figures[figure]
        for run, reference in zip(runs, baseline or [], strict=bool(baseline))
        if run.figures and reference.figures and reference.figures[figure] != 0
    ]
    if not ratios:
        return "–"
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f}..{max(ratios):.2f})"


def errors_text(runs):
    faults = dict.fromkeys(fault for run in runs for fault in run.faults)
    return f"WRONG: {'; '.join(faults)}" if faults else "none"


def markdown_table(rows):
    """Padded, so that it can be read in a terminal too."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    # The first and the last column are words, those between them figures.
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:-1]), "-" * widths[-1]]
    heading, *body = rows
    return "\n".join(table_line(row, widths) for row in [heading, rule, *body])


def table_line(cells, widths):
    first, *figures, last = (
        cell.ljust(width) if index in (0, len(cells) - 1) else cell.rjust(width)
        for index, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "| " + " | ".join([first, *figures, last]) + " |"
