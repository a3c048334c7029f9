#!/usr/bin/env python3
"""Draws a random sample of the project's English for a review: comments, messages, and passages of the docs.

The same seed and commit give the same sample. Each item has a number and its location, so that a reviewer can mark it.

    dev/sample-words.py comments --seed 7 --count 200
    dev/sample-words.py messages --seed 7 --count 200 --at HEAD~10
    dev/sample-words.py docs --seed 7 --count 30
"""
import argparse
import pathlib
import random
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMENT = re.compile(r"^\s*(///?)(?!/)\s?(.*)$")
LITERAL = re.compile(r'"""\n(.*?)\n\s*"""|"((?:\\.|[^"\\\n])*)"', re.S)
INTERPOLATION = re.compile(r"\\\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
# SQL and Prometheus headers are not prose.
NOT_PROSE = re.compile(r"^\s*(SELECT|INSERT|CREATE|DELETE|UPDATE|PRAGMA|ALTER|WITH|DROP|BEGIN|COMMIT)\b|^\s*# (HELP|TYPE)")
HEADING = re.compile(r"^#{1,6} ")


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def files(commit, suffix, *folders):
    """The paths and contents of the files with this suffix at a commit."""
    for path in git("ls-tree", "-r", "--name-only", commit, *folders).splitlines():
        if path.endswith(suffix):
            yield path, git("show", f"{commit}:{path}")


def comments(commit):
    """Each block of consecutive comment lines in the sources."""
    for path, text in files(commit, ".swift", "Sources"):
        block, start = [], 0
        for number, line in enumerate(text.splitlines() + [""], 1):
            found = COMMENT.match(line)
            if found and not found[2].startswith("MARK:"):
                start = start or number
                block.append(found[2])
            elif block:
                yield f"{path}:{start}", "\n".join(block)
                block, start = [], 0


def messages(commit):
    """Each string literal in the sources that has at least four words."""
    for path, text in files(commit, ".swift", "Sources"):
        # An interpolation may hold quotation marks.
        code = INTERPOLATION.sub("…", re.sub(r"^[ \t]*//.*$", "", text, flags=re.M))
        for found in LITERAL.finditer(code):
            content = found[1] or found[2] or ""
            words = re.findall(r"[A-Za-z]{2,}", content)
            if len(words) >= 4 and " " in content.strip() and not NOT_PROSE.search(content):
                yield f"{path}:{code.count(chr(10), 0, found.start()) + 1}", content


def docs(commit):
    """Each section of a Markdown file."""
    for path, text in files(commit, ".md"):
        section, start, in_code = [], 1, False
        for number, line in enumerate(text.splitlines() + ["# "], 1):
            if line.startswith("```"):
                in_code = not in_code
            if HEADING.match(line) and not in_code:
                if len(" ".join(section).split()) > 40:
                    yield f"{path}:{start}", "\n".join(section)
                section, start = [], number
            section.append(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["comments", "messages", "docs"])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--at", default="HEAD", metavar="COMMIT", help="default: HEAD")
    options = parser.parse_args()
    everything = list({"comments": comments, "messages": messages, "docs": docs}[options.kind](options.at))
    sample = random.Random(options.seed).sample(everything, min(options.count, len(everything)))
    print(f"{len(sample)} of {len(everything)} {options.kind}, seed {options.seed}, at {git('rev-parse', '--short', options.at).strip()}")
    for number, (place, text) in enumerate(sample, 1):
        print(f"\n[{number}] {place}\n{text}")


if __name__ == "__main__":
    main()
