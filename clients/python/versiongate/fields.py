"""A parser for lists of structured fields (RFC 9651), limited to the types in `X-VersionGate`."""

from __future__ import annotations

import re

_BARE = re.compile(
    r'"(?:[ !#-\[\]-~]|\\["\\])*"|%"[^"]*"|:[A-Za-z0-9+/=]*:|\?[01]|@?-?[0-9]+(?:\.[0-9]+)?'
    r"|[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*"
)
_KEY = re.compile(r";[ ]*([a-z*][a-z0-9_.*-]*)(=?)")
_SEPARATOR = re.compile(r"[ \t]*,[ \t]*(?=.)")
_BLANKS = re.compile(r"[ \t]*")

Item = tuple[str, dict[str, object]]


def tokens(text: str) -> list[Item]:
    """Returns the tokens in a list with their parameters; other members are left out.

    The result is empty if the field is invalid.
    """
    try:
        return list(_members(text))
    except ValueError:
        return []


def _members(text: str):
    index = _BLANKS.match(text).end()
    while index < len(text):
        if text[index] == "(":
            word, index = "", _end_of_inner_list(text, index + 1)
        else:
            word, index = _bare(text, index)
        parameters, index = _parameters(text, index)
        if word[:1].isalpha() or word[:1] == "*":
            yield word, parameters
        if not text[index:].strip(" \t"):
            return
        separator = _SEPARATOR.match(text, index)
        if separator is None:
            raise ValueError("no separator")
        index = separator.end()


def _end_of_inner_list(text: str, index: int) -> int:
    while True:
        index = _BLANKS.match(text, index).end()
        if text[index : index + 1] == ")":
            return index + 1
        _, index = _bare(text, index)
        _, index = _parameters(text, index)


def _parameters(text: str, index: int) -> tuple[dict[str, object], int]:
    found: dict[str, object] = {}
    while match := _KEY.match(text, index):
        index = match.end()
        value = "?1"
        if match[2]:
            value, index = _bare(text, index)
        found[match[1]] = _value(value)
    return found, index


def _bare(text: str, index: int) -> tuple[str, int]:
    match = _BARE.match(text, index)
    if match is None:
        raise ValueError("not a bare item")
    return match[0], match.end()


def _value(text: str) -> object:
    """Returns a string, an integer or a boolean; `None` for unsupported types."""
    if text.startswith('"'):
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    if text.startswith("?"):
        return text == "?1"
    return int(text) if re.fullmatch("-?[0-9]+", text) else None
