"""Sections of a page in Markdown, so that each benchmark replaces only its own one.

The heading of a section is its title, a comma, and its date.
"""

import re


def split(page):
    """Returns the text before the first section, and the sections by their titles."""
    before, *sections = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    return before, {title(each): each for each in sections}


def title(section):
    return section.partition("\n")[0].removeprefix("## ").partition(",")[0]


def with_section(page, section):
    """Returns the page with a section in the place of that with the same title, or at the end."""
    before, sections = split(page)
    return join(before, sections | {title(section): section})


def with_others(page, old):
    """Returns the page, with the sections of the old one that it lacks at the end."""
    before, sections = split(page)
    return join(before, sections | {name: each for name, each in split(old)[1].items() if name not in sections})


def join(before, sections):
    return "\n\n".join(each.strip("\n") for each in (before, *sections.values()) if each.strip()) + "\n"
