#!/usr/bin/env python3
"""Compares the pages in Japanese and Korean with their originals, and prints each difference.

A translation has the headings of its original (number and levels), its blocks of code (except for comments in them) and its
tables (rows and columns), also in HTML comments. Its relative links lead to existing files and headings, and to pages in the
same language if there are any.
"""

import argparse
import re
import sys
from pathlib import Path
from urllib.parse import unquote

# The pages that exist in all languages, and those of each language.
PAGES = ["first-rule", "raise-a-floor", "undo", "incident", "clients"]
LANGUAGES = {
    "ja": ["from-microcms", "from-app-store-lookup", "from-app-store-connect"],
    "ko": ["from-realtime-database", "from-remote-config"],
}
BLOCK = re.compile(r"^( *)```([^\n]*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
COMMENTS = {
    **dict.fromkeys(["sh", "yaml", "nginx"], r"(^|\s)#\s.*"),
    "swift": r"(^|\s)//\s.*",
}
HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
LINK_WITH_NAME = re.compile(r"\[([^\]]*)\]\([^)]*\)")


class Page:
    def __init__(self, path):
        text = path.read_text(encoding="utf-8")
        self.path = path
        self.blocks = [code(match[2], match[3]) for match in BLOCK.finditer(text)]
        # A block leaves an empty line, so that the tables before and after it remain two.
        self.text = BLOCK.sub("", text)
        self.headings = [(len(match[1]), match[2]) for match in HEADING.finditer(self.text)]
        self.tables = tables(self.text)

    def anchors(self):
        found = {}
        for _, title in self.headings:
            anchor = slug(title)
            found[anchor] = found.get(anchor, -1) + 1
        # Equal headings get a number.
        return set(found) | {f"{name}-{number}" for name, last in found.items() for number in range(1, last + 1)}


def code(info, content):
    """Returns a block of code without its comments, in lines."""
    comment = COMMENTS.get(info.partition(" ")[0])
    lines = content.splitlines()
    return [info] + [re.sub(comment, "", line).rstrip() if comment else line for line in lines]


def tables(text):
    """Returns the numbers of cells in the rows of each table."""
    found, current = [], []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            current.append(len(re.findall(r"(?<!\\)\|", re.sub(r"`[^`]*`", "", line))) - 1)
        elif current:
            found.append(current)
            current = []
    return found


def slug(title):
    """Returns the anchor of a heading, as GitHub generates it."""
    title = LINK_WITH_NAME.sub(r"\1", title)
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def original(path, root):
    """Returns the original of a translation; it need not exist."""
    if path.parent == root:
        return root / "README.md"
    guide = root / "docs/guides" / path.name
    return guide if guide.exists() else root / "docs" / path.name


def translation(path, root, language):
    """Returns the translation of a page; it need not exist."""
    if path == root / "README.md":
        return root / f"README.{language}.md"
    is_guide = path.parent in (root / "docs", root / "docs/guides")
    return root / "docs" / language / path.name if is_guide else path


def differences(page, source):
    if [level for level, _ in page.headings] != [level for level, _ in source.headings]:
        yield "the headings differ: " + first_difference(
            [f"{'#' * level} {title}" for level, title in page.headings],
            [f"{'#' * level} {title}" for level, title in source.headings],
            lambda heading: heading.partition(" ")[0])
    if len(page.blocks) != len(source.blocks):
        yield f"{len(page.blocks)} blocks of code instead of {len(source.blocks)}"
    for number, (own, expected) in enumerate(zip(page.blocks, source.blocks), 1):
        if own != expected:
            yield f"block of code {number} differs: " + first_difference(own, expected)
    if len(page.tables) != len(source.tables):
        yield f"{len(page.tables)} tables instead of {len(source.tables)}"
    for number, (own, expected) in enumerate(zip(page.tables, source.tables), 1):
        if own != expected:
            yield f"table {number} has rows with {own} cells instead of {expected}"


def first_difference(own, expected, key=lambda one: one):
    for one, other in zip(own, expected):
        if key(one) != key(other):
            return f"'{one}' instead of '{other}'"
    return f"{len(own)} instead of {len(expected)}"


def broken_links(page, root, language=None):
    for link in LINK.findall(page.text):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = unquote(link).partition("#")
        target = (page.path.parent / name).resolve() if name else page.path
        if not target.exists():
            yield f"{link} does not exist"
        elif anchor and target.suffix == ".md" and anchor not in Page(target).anchors():
            yield f"{link}: no such heading"
        elif language and is_translated(target, page, root, language):
            yield f"{link} exists in this language"


def is_translated(target, page, root, language):
    """Returns whether another page than this one is the translation of a link's target."""
    own = translation(target, root, language)
    return own not in (target, page.path) and own.exists()


def problems(root):
    for language, own in LANGUAGES.items():
        folder = root / "docs" / language
        required = [root / f"README.{language}.md", *(folder / f"{name}.md" for name in PAGES + own)]
        for path in sorted({*required, *folder.glob("*.md")}):
            name, source = path.relative_to(root), original(path, root)
            if not path.exists() or not source.exists():
                yield f"{name if not path.exists() else source.relative_to(root)} does not exist"
                continue
            page = Page(path)
            for problem in [*differences(page, Page(source)), *broken_links(page, root, language)]:
                yield f"{name}: {problem}"
    for path in [root / "README.md", *sorted((root / "docs/guides").glob("from-*.md"))]:
        for problem in broken_links(Page(path), root):
            yield f"{path.relative_to(root)}: {problem}"


def main():
    parser = argparse.ArgumentParser(prog="dev/check-translations.py", description=__doc__)
    parser.add_argument("root", type=Path, nargs="?", default=Path(__file__).resolve().parent.parent)
    found = list(problems(parser.parse_args().root.resolve()))
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
