"""Whether what takes turns with rest differs from it by more than rest differs from itself."""

import statistics

# Three standard errors of a median, in medians of what it is the median of, if that is spread as most
# errors are: 3 * 1.25 * 1.48.
STANDARD_ERRORS = 5.6


def differences(quiet, busy):
    """How far each busy phase is from the mean of the quiet ones before and after it."""
    return [
        each - (before + after) / 2
        for before, each, after in zip(quiet, busy, quiet[1:])
    ]


def noise(quiet):
    """How far a quiet phase usually is from the mean of those before and after it.

    The same question as that to a busy phase, where nothing was done. What drifts slowly, such as
    the clock of a processor that gets warm, is in neither answer; and for a moment in which the
    machine does something else there is the median.
    """
    apart = differences(quiet[::2], quiet[1::2]) + differences(quiet[1::2], quiet[2::2])
    return statistics.median(map(abs, apart))


def most_by_chance(quiet, busy):
    """How far the median of the differences may be from zero, and still mean nothing."""
    return STANDARD_ERRORS * noise(quiet) / len(busy) ** 0.5
