import importlib.util
import re
import shutil
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SPEC = importlib.util.spec_from_file_location(
    "check_translations", ROOT / "dev" / "check-translations.py")
translations = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(translations)

ORIGINAL = """# Title

Text with a [link](docs/other.md#a-heading).

## Start

```sh
ls folder  # a comment
```

- item:

  ```text
  output
  ```

| a | b |
| --- | --- |
| `x|y` | z |
"""
TRANSLATION = """# 題名

[リンク](docs/other.md#a-heading)のある文。

## 開始

```sh
ls folder  # コメント
```

- 項目:

  ```text
  output
  ```

| あ | い |
| --- | --- |
| `x|y` | う |
"""


class Pages(unittest.TestCase):
    def setUp(self):
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        self.write("README.md", ORIGINAL)
        self.write("docs/other.md", "# Other\n\n## A heading\n")
        self.write("README.ja.md", TRANSLATION)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def found(self):
        """Returns the problems of the translation, without those of pages that do not exist here."""
        return [
            problem for problem in translations.problems(self.root) if problem.startswith("README.ja.md: ")
        ]

    def test_a_translation_has_another_text_and_other_comments(self):
        self.assertEqual(self.found(), [])

    def test_each_change_is_found(self):
        for old, new, problem in [
            ("## 開始", "### 開始", "the headings differ: '### 開始' instead of '## Start'"),
            ("## 開始\n", "", "the headings differ: 1 instead of 2"),
            ("## 開始\n", "## 開始\n\n## 終了\n", "the headings differ: 3 instead of 2"),
            ("ls folder", "ls  folder", "block of code 1 differs: 'ls  folder' instead of 'ls folder'"),
            ("```sh", "```bash", "block of code 1 differs: 'bash' instead of 'sh'"),
            ("  output\n", "  出力\n", "block of code 2 differs: '  出力' instead of '  output'"),
            ("  ```text\n  output\n  ```\n", "", "1 blocks of code instead of 2"),
            ("| う |", "| う | え |", "table 1 has rows with [2, 2, 3] cells instead of [2, 2, 2]"),
            ("| `x|y` | う |\n", "", "table 1 has rows with [2, 2] cells instead of [2, 2, 2]"),
            ("| あ | い |\n| --- | --- |\n| `x|y` | う |\n", "", "0 tables instead of 1"),
            ("docs/other.md#a", "docs/another.md#a", "docs/another.md#a-heading does not exist"),
            ("#a-heading", "#b", "docs/other.md#b: no such heading"),
        ]:
            with self.subTest(new=new, old=old):
                self.assertIn(old, TRANSLATION)
                self.write("README.ja.md", TRANSLATION.replace(old, new))
                self.assertEqual(self.found(), [f"README.ja.md: {problem}"])

    def test_a_command_in_an_html_comment_is_compared(self):
        hidden = "\n<!-- The test:\n```sh\nls {}\n```\n-->\n"
        self.write("README.md", ORIGINAL + hidden.format("a"))
        self.write("README.ja.md", TRANSLATION + hidden.format("b"))
        self.assertEqual(self.found(), ["README.ja.md: block of code 3 differs: 'ls b' instead of 'ls a'"])

    def test_a_number_sign_in_output_is_no_comment(self):
        self.assertEqual(translations.code("text", "# a\n"), ["text", "# a"])
        self.assertEqual(translations.code("yaml rules.yaml", "# a\nb: 1   # c\n"), ["yaml rules.yaml", "", "b: 1"])
        self.assertEqual(translations.code("swift", 'let a = "https://b" // c\n'), ["swift", 'let a = "https://b"'])

    def test_links_lead_to_the_same_language(self):
        self.write("docs/ja/other.md", "# 別\n\n## 見出し\n")
        self.assertEqual(self.found(), ["README.ja.md: docs/other.md#a-heading exists in this language"])
        self.write("README.ja.md", TRANSLATION.replace("docs/other.md#a-heading", "docs/ja/other.md#見出し"))
        self.assertEqual(self.found(), [])

    def test_anchors_are_those_of_github(self):
        self.write("page.md", "# `/a/b`: Two, [three](x)\n\n## すべての 426\n\n## すべての 426\n")
        self.assertEqual(
            translations.Page(self.root / "page.md").anchors(), {"ab-two-three", "すべての-426", "すべての-426-1"})


class Repository(unittest.TestCase):
    def test_the_translations_are_complete(self):
        self.assertEqual(list(translations.problems(ROOT)), [])

    def test_a_changed_or_missing_page_is_found(self):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name).resolve()
            for path in ROOT.rglob("*"):
                inside = path.relative_to(ROOT)
                if path.is_file() and not inside.parts[0].startswith("."):
                    (root / inside).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, root / inside) if path.suffix == ".md" else (root / inside).touch()
            self.assertEqual(list(translations.problems(root)), [])
            page = root / "docs/ko/undo.md"
            text = page.read_text(encoding="utf-8")
            page.write_text(text.replace("9.0.0", "9.0.1", 1), encoding="utf-8")
            (root / "docs/ja/from-microcms.md").unlink()
            found = list(translations.problems(root))
            self.assertTrue(any(re.match("docs/ko/undo.md: block of code 1 differs", one) for one in found), found)
            self.assertIn("docs/ja/from-microcms.md does not exist", found)


if __name__ == "__main__":
    unittest.main()
