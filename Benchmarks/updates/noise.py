"""Tests whether busy phases differ from quiet phases by more than quiet phases differ from each other."""

import statistics

# Three standard errors of a median, in units of the median absolute deviation, for normally distributed
# errors: 3 * 1.25 * 1.48.
STANDARD_ERRORS = 5.6


def differences(quiet, busy):
    """Returns the difference of each busy phase from the mean of the quiet ones before and after it."""
    return [
        each - (before + after) / 2
        for before, each, after in zip(quiet, busy, quiet[1:])
    ]


def noise(quiet):
    """Returns how far a quiet phase usually is from the mean of the quiet phases before and after it.

    This is the same comparison as for a busy phase, but without changes. Slow drift, such as that of a
    processor's clock as it gets warm, affects neither, and the median ignores moments in which the
    machine does other work.
    """
    apart = differences(quiet[::2], quiet[1::2]) + differences(quiet[1::2], quiet[2::2])
    return statistics.median(map(abs, apart))


def most_by_chance(quiet, busy):
    """Returns how far the median of the differences can be from zero by chance."""
    return STANDARD_ERRORS * noise(quiet) / len(busy) ** 0.5
