"""Tests the ratios of two builds, and their confidence intervals."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pairs import STUDENT, interval  # noqa: E402


class Ratios(unittest.TestCase):
    def test_equal_starts_have_no_error(self):
        self.assertEqual(interval([0.0, 0.0]), "1.000 | 1.000 | 1.000")

    def test_the_error_is_that_of_the_mean(self):
        # The logarithms have a standard deviation of 0.01 and a standard error of 0.005.
        self.assertEqual(interval([0.0875, 0.0875, 0.1047, 0.1047]), "1.101 | 1.084 | 1.118")

    def test_each_number_of_starts_has_a_factor(self):
        self.assertEqual(sorted(STUDENT), list(range(min(STUDENT), max(STUDENT) + 1)))
