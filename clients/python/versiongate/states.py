"""The states of a client."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from datetime import datetime, timezone


@dataclass(frozen=True)
class Facts:
    """The facts about an update or a maintenance window; `None` for facts that were not sent.

    The names are those of the protocol in snake case. Times are strings in the gate's format
    (RFC 3339); `parse_time` parses them.
    """

    title: str | None = None
    message: str | None = None
    button: str | None = None
    store_url: str | None = None
    minimum_version: str | None = None
    minimum_build: int | None = None
    latest_version: str | None = None
    current_version: str | None = None
    # Whether the device's OS is too old for the update: show the texts, hide the button.
    cannot_update: bool | None = None
    enforce_from: str | None = None
    brownout_from: str | None = None
    brownout_until: str | None = None
    maintenance_from: str | None = None
    maintenance_until: str | None = None
    # How long to hide the update after the user chooses "later", in seconds.
    snooze_seconds: int | None = None
    # The number of seconds before a request may be retried.
    retry_after_seconds: int | None = None
    rule: str | None = None
    revision: str | None = None

    @classmethod
    def read(cls, members: object, names: frozenset[str]) -> Facts:
        """Returns the members that have the right type; empty strings are left out."""
        if not isinstance(members, dict):
            return cls()
        found = {}
        for name in names:
            value = members.get(wire_name(name))
            if type(value) is _TYPES[name] and value != "":
                found[name] = value
        return cls(**found)

    def wire(self) -> dict[str, object]:
        """Returns the facts, named as in the protocol."""
        named = ((part.name, getattr(self, part.name)) for part in fields(self))
        return {wire_name(name): value for name, value in named if value is not None}


_TYPES = {
    part.name: int if part.type.startswith("int") else bool if part.type.startswith("bool") else str
    for part in fields(Facts)
}
WINDOW = frozenset({"maintenance_from", "maintenance_until"})
# `retry_after_seconds` is from a header.
UPDATE = frozenset(_TYPES) - WINDOW - {"retry_after_seconds"}


@dataclass(frozen=True)
class Allowed:
    """The build is allowed."""

    # The announced maintenance, if there is one.
    announced: Facts | None = None


@dataclass(frozen=True)
class Recommended:
    """The build is allowed, and an update is recommended."""

    update: Facts = field(default_factory=Facts)
    announced: Facts | None = None


@dataclass(frozen=True)
class Required:
    """The build is denied, until `update.brownout_until` if it is set."""

    update: Facts = field(default_factory=Facts)
    announced: Facts | None = None


@dataclass(frozen=True)
class Maintenance:
    """The service is down for maintenance."""

    window: Facts = field(default_factory=Facts)


@dataclass(frozen=True)
class Unknown:
    """The gate has not responded: offline, or a response from a captive portal or similar."""

    # The last known state, unless it has expired.
    last: State | None = None


@dataclass(frozen=True)
class Unchanged:
    """The state has not changed since the response whose entity tag was sent (304)."""


State = Allowed | Recommended | Required | Maintenance | Unknown

_NAMES = {
    Allowed: "allowed", Recommended: "recommended", Required: "required",
    Maintenance: "maintenance", Unknown: "unknown", Unchanged: "unchanged",
}


def wire(state: State | Unchanged | None) -> dict[str, object] | None:
    """Returns a state in the format of docs/wire."""
    if state is None:
        return None
    document: dict[str, object] = {"state": _NAMES[type(state)]}
    for part in ("update", "window", "announced"):
        facts = getattr(state, part, None)
        if facts is not None:
            document[part] = facts.wire()
    return document


def from_wire(document: object) -> State | None:
    """Parses a state in the format of `wire`; `None` if it is invalid, or `unknown`."""
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
    """Parses a time in the protocol's format; `None` if it is invalid."""
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    except ValueError:
        return None


def wire_name(name: str) -> str:
    return re.sub("_([a-z])", lambda match: match[1].upper(), name)
