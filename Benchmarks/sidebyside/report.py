"""The report: medians over the rounds, and ratios to the reference round by round."""

import datetime
import math
import statistics

HEADINGS = (
    "candidate", "requests/s", "CPU µs/request", "CPU, ratio to {reference}",
    "requests/s, ratio to {reference}", "p50 ms", "p99 ms", "errors",
)


def report(results, reference, facts):
    """All of it as text that is Markdown too: a table for each scenario, then the facts."""
    tables = [
        f"### Scenario: {scenario}\n\n{scenario_table(runs, reference)}"
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
    return all(
        run.is_clean
        for runs_by_candidate in results.values()
        for runs in runs_by_candidate.values()
        for run in runs
    )


def scenario_table(results, reference):
    """The table of one scenario, from the runs of each candidate in the order of the rounds."""
    baseline = results.get(reference)
    rows = [[heading.format(reference=reference) for heading in HEADINGS]]
    for name, runs in results.items():
        rows.append([
            name,
            median_text(runs, "requests_per_second", "{:.0f}"),
            median_text(runs, "cpu_microseconds", "{:.1f}"),
            ratio_text(runs, baseline, "cpu_microseconds"),
            ratio_text(runs, baseline, "requests_per_second"),
            median_text(runs, "p50_milliseconds", "{:.2f}"),
            median_text(runs, "p99_milliseconds", "{:.2f}"),
            errors_text(runs),
        ])
    return markdown_table(rows)


def median_text(runs, figure, layout):
    values = numbers(getattr(run, figure) for run in runs)
    return layout.format(statistics.median(values)) if values else "–"


def ratio_text(runs, baseline, figure):
    """Each run is divided by the reference's run of the same round, minutes apart at most."""
    if baseline is None:
        return "–"
    ratios = numbers(
        getattr(run, figure) / getattr(reference, figure)
        for run, reference in zip(runs, baseline, strict=True)
        if getattr(reference, figure) != 0
    )
    if not ratios:
        return "–"
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f}..{max(ratios):.2f})"


def errors_text(runs):
    bad = [run for run in runs if not run.is_clean]
    if not bad:
        return "none"
    wrong = sum(run.wrong_statuses for run in bad)
    socket = sum(run.socket_errors for run in bad)
    unanswered = sum(not run.has_answers for run in bad)
    return f"WRONG: {wrong} statuses, {socket} socket errors, {unanswered} runs without answers"


def numbers(values):
    return [value for value in values if not math.isnan(value)]


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
