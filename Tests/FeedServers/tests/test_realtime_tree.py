import sys
import unittest

from support import FOLDER

sys.path.insert(0, str(FOLDER))

from feeds.realtime_tree import (  # noqa: E402
    at, cleaned, narrowest_change, shown, split, with_value,
)


class TreeTests(unittest.TestCase):
    def test_empty_objects_are_removed(self):
        for value, expected in [
            ({"a": None, "b": {}, "c": {"d": {"e": None}}, "f": 0}, {"f": 0}),
            ({"a": {"b": None}}, None), ([None, 1], {"1": 1}), (False, False), ("", ""),
        ]:
            self.assertEqual(cleaned(value), expected)

    def test_writes(self):
        root = {"a": {"b": 1, "c": 2}, "d": 3}
        for path, value, expected in [
            ("a/b", 9, {"a": {"b": 9, "c": 2}, "d": 3}),
            ("a", None, {"d": 3}),
            ("d/e/f", 1, {"a": {"b": 1, "c": 2}, "d": {"e": {"f": 1}}}),
            ("", {"x": 1}, {"x": 1}), ("", None, None),
            ("a/b", {}, {"a": {"c": 2}, "d": 3}),
        ]:
            self.assertEqual(with_value(root, split(path), value), expected, path)
        self.assertEqual(root, {"a": {"b": 1, "c": 2}, "d": 3})
        self.assertIsNone(at(root, ["d", "e"]))

    def test_arrays(self):
        for node, expected in [
            ({"0": "a", "1": "b"}, ["a", "b"]), ({"0": "a", "2": "b"}, ["a", None, "b"]),
            ({"1": "a"}, {"1": "a"}), ({"5": "a"}, {"5": "a"}), ({"01": "a"}, {"01": "a"}),
            ({"0": "a", "x": "b"}, {"0": "a", "x": "b"}), ({"k": {"0": 1}}, {"k": [1]}),
        ]:
            self.assertEqual(shown(node, True), expected)
            self.assertEqual(shown(node, False), node)

    def test_the_narrowest_change(self):
        old = {"a": {"b": 1, "c": 2}}
        for new, expected in [
            ({"a": {"b": 2, "c": 2}}, ["a", "b"]), ({"a": {"b": 2, "c": 3}}, ["a"]),
            ({"x": 1}, []), (None, []), ({"a": {"c": 2}}, ["a", "b"]), ({"a": 1}, ["a"]),
        ]:
            self.assertEqual(narrowest_change(old, new), expected)


if __name__ == "__main__":
    unittest.main()
