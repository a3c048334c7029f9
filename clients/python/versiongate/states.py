"""Where a client stands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from datetime import datetime, timezone


@dataclass(frozen=True)
class Facts:
    """What is known of an update or of a maintenance window; `None` is what nobody said.

    The names are those of the wire with underscores in place of capitals. Times are texts as the
    gate writes them (RFC 3339); `parse_time` reads them.
    """

    title: str | None = None
    message: str | None = None
    button: str | None = None
    store_url: str | None = None
    minimum_version: str | None = None
    minimum_build: int | None = None
    latest_version: str | None = None
    current_version: str | None = None
    # The device's system is too old for the update: show the words, hide the button.
    cannot_update: bool | None = None
    enforce_from: str | None = None
    brownout_from: str | None = None
    brownout_until: str | None = None
    maintenance_from: str | None = None
    maintenance_until: str | None = None
    # For how long to leave the user alone after "later".
    snooze_seconds: int | None = None
    # For how long not to ask again.
    retry_after_seconds: int | None = None
    rule: str | None = None
    revision: str | None = None

    @classmethod
    def read(cls, members: object, names: frozenset[str]) -> Facts:
        """Those of the names that are there and of the right type; an empty text is none."""
        if not isinstance(members, dict):
            return cls()
        found = {}
        for name in names:
            value = members.get(wire_name(name))
            if type(value) is _TYPES[name] and value != "":
                found[name] = value
        return cls(**found)

    def wire(self) -> dict[str, object]:
        """What is known, by the names of the wire."""
        named = ((part.name, getattr(self, part.name)) for part in fields(self))
        return {wire_name(name): value for name, value in named if value is not None}


_TYPES = {
    part.name: int if part.type.startswith("int") else bool if part.type.startswith("bool") else str
    for part in fields(Facts)
}
WINDOW = frozenset({"maintenance_from", "maintenance_until"})
# `retry_after_seconds` is that of a field.
UPDATE = frozenset(_TYPES) - WINDOW - {"retry_after_seconds"}


@dataclass(frozen=True)
class Allowed:
    """The build is served."""

    # The maintenance that is to come, if one is announced.
    announced: Facts | None = None


@dataclass(frozen=True)
class Recommended:
    """The build is served, and there is a better one."""

    update: Facts = field(default_factory=Facts)
    announced: Facts | None = None


@dataclass(frozen=True)
class Required:
    """The build is not served; until `update.brownout_until`, if that is there."""

    update: Facts = field(default_factory=Facts)
    announced: Facts | None = None


@dataclass(frozen=True)
class Maintenance:
    """Nobody is served."""

    window: Facts = field(default_factory=Facts)


@dataclass(frozen=True)
class Unknown:
    """The gate has not said it: offline, a captive portal, or something that is no gate."""

    # The gate's last word, unless that has ended by itself.
    last: State | None = None


@dataclass(frozen=True)
class Unchanged:
    """What it was when the client asked with this tag (304)."""


State = Allowed | Recommended | Required | Maintenance | Unknown

_NAMES = {
    Allowed: "allowed", Recommended: "recommended", Required: "required",
    Maintenance: "maintenance", Unknown: "unknown", Unchanged: "unchanged",
}


def wire(state: State | Unchanged | None) -> dict[str, object] | None:
    """A state as docs/wire writes it."""
    if state is None:
        return None
    document: dict[str, object] = {"state": _NAMES[type(state)]}
    for part in ("update", "window", "announced"):
        facts = getattr(state, part, None)
        if facts is not None:
            document[part] = facts.wire()
    return document


def from_wire(document: object) -> State | None:
    """A state as `wire` writes it; `None` for anything else, and for `unknown`."""
    if not isinstance(document, dict):
        return None
    announced = Facts.read(document.get("announced"), WINDOW)
    announced = announced if announced != Facts() else None
    update = Facts.read(document.get("update"), UPDATE)
    match document.get("state"):
        case "allowed":
            return Allowed(announced)
        case "recommended":
            return Recommended(update, announced)
        case "required":
            return Required(update, announced)
        case "maintenance":
            return Maintenance(Facts.read(document.get("window"), UPDATE | WINDOW))
    return None


def parse_time(text: str) -> datetime | None:
    """A time of the wire."""
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    except ValueError:
        return None


def wire_name(name: str) -> str:
    return re.sub("_([a-z])", lambda match: match[1].upper(), name)
