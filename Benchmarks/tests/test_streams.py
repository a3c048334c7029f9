"""Tests which revisions can decide about a stream, and the error of a ratio."""

import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pairs import STUDENT, interval  # noqa: E402
from soak.streams import History  # noqa: E402


class Revisions(unittest.TestCase):
    def test_a_revision_counts_until_the_next_one_must_be_in_force(self):
        history = History(20, [(100, 2), (130, 3), (140, 4)])
        for begin, numbers in ((0, [2, 3, 4]), (149, [2, 3, 4]), (150, [3, 4]), (159, [3, 4]), (160, [4]), (999, [4])):
            self.assertEqual(history.since(begin), numbers, begin)

    def test_a_new_revision_counts_at_once(self):
        history = History(20, [(0, 2)])
        history.add(3)
        self.assertEqual(history.since(time.monotonic()), [2, 3])


class Ratios(unittest.TestCase):
    def test_equal_starts_have_no_error(self):
        self.assertEqual(interval([0.0, 0.0]), "1.000 | 1.000 | 1.000")

    def test_the_error_is_that_of_the_mean(self):
        # The logarithms have a standard deviation of 0.01 and a standard error of 0.005.
        self.assertEqual(interval([0.0875, 0.0875, 0.1047, 0.1047]), "1.101 | 1.084 | 1.118")

    def test_each_number_of_starts_has_a_factor(self):
        self.assertEqual(sorted(STUDENT), list(range(min(STUDENT), max(STUDENT) + 1)))
