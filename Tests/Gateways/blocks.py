"""Reads the files in the pages of docs/gateways, so that the documented configuration is the one that runs. Pure."""

import re

BLOCK = re.compile(r"^```[a-z]+ ([\w./-]+)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def files(page):
    """Returns the contents of the named blocks of a page, by file name."""
    found = {}
    for match in BLOCK.finditer(page):
        if match[1] in found:
            raise ValueError(f"the page has two blocks named {match[1]}")
        found[match[1]] = match[2]
    return found


def with_ports(text, ports):
    """Returns the text with the ports of the documentation replaced, where they are whole numbers."""
    names = "|".join(map(str, ports))
    return re.sub(rf"(?<![\w.])({names})(?!\w)", lambda found: str(ports[int(found[1])]), text)


def without_lines(text, part):
    """Returns the text without the lines that contain `part`; there must be one."""
    kept = [line for line in text.splitlines(keepends=True) if part not in line]
    if len(kept) == len(text.splitlines()):
        raise ValueError(f"no line contains {part}")
    return "".join(kept)


def replaced_once(text, old, new):
    """Returns the text with the only occurrence of `old` replaced."""
    if text.count(old) != 1:
        raise ValueError(f"{text.count(old)} occurrences of {old!r}")
    return text.replace(old, new)


def replaced_location(text, name, new):
    """Returns an nginx configuration in which the block of a location is replaced by another one."""
    match = re.search(rf"^( *)location {re.escape(name)} \{{\n.*?^\1\}}\n", text, re.DOTALL | re.MULTILINE)
    if not match:
        raise ValueError(f"there is no location {name}")
    indented = "".join(match[1] + line if line.strip() else line for line in new.splitlines(keepends=True))
    return text[:match.start()] + indented + text[match.end():]
