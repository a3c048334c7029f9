"""Tests of dev/check-folders.py."""
import contextlib
import importlib.util
import io
import pathlib
import tempfile
import unittest

PATH = pathlib.Path(__file__).parent.parent / "check-folders.py"
SPEC = importlib.util.spec_from_file_location("check_folders", PATH)
check = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check)


class FolderTests(unittest.TestCase):
    def circles(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, *name.split("_")).with_suffix(".swift")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return sorted(check.circles(check.uses(pathlib.Path(folder))))

    def test_a_folder_may_stand_upon_another_one(self):
        self.assertEqual(self.circles(a_A="struct A {}", b_B="struct B { let a: A }"), [])

    def test_two_folders_that_name_each_other_are_a_circle(self):
        found = self.circles(a_A="package struct A { let b: B }", b_B="final class B { var a: A? }")
        self.assertEqual(found, [("a", "b"), ("b", "a")])

    def test_a_circle_of_three_is_one_and_what_stands_upon_it_is_not(self):
        found = self.circles(
            a_A="enum A { case b(B) }", b_B="struct B { let c: C }", c_C="struct C { let a: [A] }",
            d_D="struct D { let a: A }",
        )
        self.assertEqual(found, [("a", "b"), ("b", "c"), ("c", "a")])

    def test_words_and_private_types_count_for_nothing(self):
        found = self.circles(
            a_A='struct A {} // like B\nlet text = "B"\nprivate struct Own {}',
            b_B='struct B { let a: A }\n/// Own\nlet long = """\n    A\n    """',
            c_Own="struct Other { let own: Own? }",
        )
        self.assertEqual(found, [])

    def test_what_a_folder_has_below_it_is_its_own_matter(self):
        found = self.circles(a_b_B="struct B { let c: C }", a_c_C="struct C { let b: B }")
        self.assertEqual(found, [])

    def test_files_beside_the_folders_are_a_folder_of_their_own(self):
        found = self.circles(Door="struct Door { let a: A }", a_A="struct A { let door: Door }")
        self.assertEqual(found, [(".", "a"), ("a", ".")])

    def test_an_order_that_is_written_down_is_that_of_the_folders(self):
        order = ["ground", "house", "roof"]
        self.assertEqual(check.against(order, [("roof", "ground"), ("house", "ground")]), [])
        self.assertEqual(check.against(order, [("ground", "roof")]), [("ground", "roof")])
        self.assertEqual(check.against(order, [("shed", "ground")]), [("shed", "ground")])
        self.assertEqual(check.against(order, [("roof", "cellar")]), [("roof", "cellar")])

    def test_every_target_is_looked_at(self):
        with tempfile.TemporaryDirectory() as folder:
            sources = pathlib.Path(folder)
            for name, text in {
                "One/a/A": "struct A { let b: B }", "One/b/B": "struct B { let a: A }",
                "Two/a/A": "struct A { let b: B }", "Two/b/B": "struct B {}",
                "GateProxy/Settings/Head": "struct Head { let limits: Limits }",
                "GateProxy/Upstream/Limits": "struct Limits {}",
            }.items():
                path = sources / f"{name}.swift"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            (sources / "CDoor").mkdir()
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                self.assertTrue(check.main(sources))
        lines = sorted(line.split(": ", 1)[1] for line in said.getvalue().splitlines())
        self.assertEqual(lines, [
            "A is in One/a, which is above One/b",
            "B is in One/b, which is above One/a",
            "Limits is in GateProxy/Upstream, which is above GateProxy/Settings",
        ])


if __name__ == "__main__":
    unittest.main()
