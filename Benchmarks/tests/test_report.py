"""Tests that the page lists the figures in which another candidate is ahead, and shows faults."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sidebyside import report  # noqa: E402
from sidebyside.run import Column, Compared, Run  # noqa: E402
from sidebyside.scenarios import HEADLINE_SCENARIOS  # noqa: E402


def runs(name, *values):
    return [Run({name: value}) for value in values]


class Scenario:
    """A scenario with one figure and a reference."""

    name = title = "some"
    reference = "nginx-map"
    columns = (Column("cost", "cost", "{:,.0f}", has_ratio=True),)

    def __init__(self, is_better_higher=False):
        self.compared = (Compared("cost", "cost", is_better_higher),)


class Ahead(unittest.TestCase):
    def ahead(self, is_better_higher=False, **rows):
        return report.ahead({
            Scenario(is_better_higher): {name: runs("cost", *each) for name, each in rows.items()}
        })

    def test_one_that_needs_less_is_named_with_median_and_spread(self):
        text = self.ahead(haproxy=(5, 6, 8), caddy=(20, 20, 20), versiongate=(10, 10, 10))
        self.assertIn("some: haproxy at 0.60 (0.50..0.80) times the gate's cost", text)
        self.assertNotIn("caddy", text)

    def test_one_that_does_more_is_named_where_more_is_better(self):
        text = self.ahead(True, haproxy=(5, 5, 5), caddy=(20, 20, 20), versiongate=(10, 10, 10))
        self.assertIn("caddy at 2.00", text)
        self.assertNotIn("haproxy", text)

    def test_ratios_are_of_the_same_round(self):
        text = self.ahead(haproxy=(9, 90, 18), versiongate=(10, 100, 20))
        self.assertIn("0.90 (0.90..0.90)", text)

    def test_it_says_so_if_there_is_none(self):
        text = self.ahead(haproxy=(10, 11), versiongate=(10, 10))
        self.assertEqual(text, "In none of these tables.")

    def test_without_the_gate_nobody_is_ahead_of_it(self):
        self.assertEqual(self.ahead(haproxy=(1, 1)), "In none of these tables.")

    def test_a_run_that_failed_counts_for_nobody(self):
        rows = {"haproxy": [Run.failed("no responses")], "versiongate": runs("cost", 10)}
        self.assertEqual(report.ahead({Scenario(): rows}), "In none of these tables.")


class Tables(unittest.TestCase):
    def test_wrong_answers_are_no_fast_row(self):
        wrong = [Run({"cost": 1}, ("100 wrong responses",))]
        rows = {"haproxy": wrong, "versiongate": runs("cost", 10)}
        table = report.scenario_table(Scenario(), rows)
        self.assertRegex(table, r"haproxy +\| +– \| WRONG: 100 wrong responses")
        self.assertEqual(report.ahead({Scenario(): rows}), "In none of these tables.")

    def test_a_round_with_wrong_answers_is_left_out_of_the_ratios(self):
        rows = {
            "nginx-map": [Run({"cost": 10}), Run({"cost": 1}, ("1 socket error",))],
            "versiongate": runs("cost", 20, 20),
        }
        self.assertIn("20 (2.00)", report.scenario_table(Scenario(), rows))

    def test_a_figure_may_be_followed_by_its_ratio(self):
        table = report.scenario_table(Scenario(), {
            "nginx-map": runs("cost", 1000), "versiongate": runs("cost", 1500),
        })
        self.assertIn("1,500 (1.50)", table)

    def test_the_headline_has_a_line_for_each_kind_of_traffic_and_says_what_is_wrong(self):
        first, second = HEADLINE_SCENARIOS[:2]
        good = {"requests_per_second": 100, "cpu_microseconds": 10}
        bad = Run(good, ("3 wrong responses",))
        time, throughput = report.headline({
            first: {"nginx-map": [Run(good)], "versiongate": [Run(good | {"cpu_microseconds": 5})]},
            second: {"nginx-map": [Run(good)], "versiongate": [bad]},
        })
        self.assertRegex(time, rf"{first.name} .*0\.50 \(0\.50\.\.0\.50\).* none")
        self.assertRegex(time, rf"{second.name} .*WRONG: 3 wrong responses")
        self.assertRegex(throughput, rf"{first.name} .*1\.00")


if __name__ == "__main__":
    unittest.main()
