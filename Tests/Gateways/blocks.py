"""Reads the files in the pages of docs/gateways, so that the documented configuration is the one that runs. Pure."""

import re

FENCE = re.compile(r"```([a-z]*)(?: ([\w./-]+))?")
HUNK = re.compile(r"^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@\n", re.MULTILINE)


class PageError(ValueError):
    """A page lacks a part of the configuration, or has one that cannot be read."""


class Files(dict):
    """The contents of the named blocks of a page, by file name."""

    def __missing__(self, name):
        raise PageError(f"there is no block named {name}")


def files(page):
    """Returns the contents of the named blocks of a page, by file name."""
    found, start, name, lines = Files(), 0, None, []
    for number, line in enumerate(page.splitlines(keepends=True), 1):
        if not line.startswith("```"):
            lines.append(line)
        elif not start:
            opening = FENCE.fullmatch(line.rstrip("\n"))
            if not opening:
                raise PageError(f"line {number} starts no block: {line.rstrip()}")
            if opening[2] in found:
                raise PageError(f"there are two blocks named {opening[2]}")
            start, name, lines = number, opening[2], []
        elif line.rstrip("\n") != "```":
            raise PageError(f"the block in line {start} has no end before line {number}")
        else:
            if name and not lines:
                raise PageError(f"the block in line {start} is empty")
            if name:
                found[name] = "".join(lines)
            start = 0
    if start:
        raise PageError(f"the block in line {start} has no end")
    return found


def with_ports(text, ports):
    """Returns the text with the ports of the documentation replaced, where they are whole numbers."""
    names = "|".join(map(str, ports))
    return re.sub(rf"(?<![\w.])({names})(?!\w)", lambda found: str(ports[int(found[1])]), text)


def without_lines(text, part):
    """Returns the text without the lines that contain `part`; there must be one."""
    kept = [line for line in text.splitlines(keepends=True) if part not in line]
    if len(kept) == len(text.splitlines()):
        raise PageError(f"no line contains {part}")
    return "".join(kept)


def replaced(text, old, new, count=1):
    """Returns the text with all occurrences of `old` replaced; there must be `count`."""
    if text.count(old) != count:
        raise PageError(f"{text.count(old)} instead of {count} occurrences of {old!r}")
    return text.replace(old, new)


def patched(text, diff):
    """Returns the text with a unified diff applied. Each hunk must match in one place; its line numbers are ignored."""
    start, *parts = HUNK.split(diff)
    if start or not parts:
        raise PageError("a diff must start with a hunk")
    for old_count, new_count, hunk in zip(parts[::3], parts[1::3], parts[2::3]):
        lines = hunk.splitlines(keepends=True)
        old, new = ([line[1:] for line in lines if line[0] in signs] for signs in (" -", " +"))
        if [str(len(old)), str(len(new))] != [old_count or "1", new_count or "1"]:
            raise PageError(f"the hunk has {len(old)} old lines and {len(new)} new ones: {lines[0].rstrip()}")
        text = replaced(text, "".join(old), "".join(new))
    return text


def replaced_location(text, name, new):
    """Returns an nginx configuration in which the block of a location is replaced by another one."""
    match = re.search(rf"^( *)location {re.escape(name)} \{{\n.*?^\1\}}\n", text, re.DOTALL | re.MULTILINE)
    if not match:
        raise PageError(f"there is no location {name}")
    indented = "".join(match[1] + line if line.strip() else line for line in new.splitlines(keepends=True))
    return text[:match.start()] + indented + text[match.end():]
