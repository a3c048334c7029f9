"""Interprets responses of the gate, the backend and proxies."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from urllib.parse import urlsplit

from . import calls
from .fields import Item, tokens
from .states import (
    UPDATE, WINDOW, Allowed, Facts, Maintenance, Recommended, Required, State, Unchanged, Unknown,
)

MARKER = "X-VersionGate"
FOLDER = "/.versiongate/"
PROBLEM = "application/problem+json"
_PROBLEM_TYPES = {
    "urn:versiongate:upgrade-required": "require",
    "urn:versiongate:maintenance": "maintenance",
}
# The maximum length of an event in characters; the gate never sends more.
_LONGEST_EVENT = 1 << 20
# Parameters of the hint whose names differ from those in documents.
_RENAMED = {"latest": "latestVersion", "url": "storeUrl"}


def inspect(response, body: bytes | str | None = None) -> Required | Maintenance | None:
    """Returns the denial in a response to the app's request; `None` if it is not a denial.

    A denial is identified by the header `X-VersionGate`, or by the problem type if a proxy has
    removed the header, but never by the status. `response.headers` must have the interface of
    `urllib`.
    """
    if is_own_path(getattr(response, "url", None)):
        return None
    kind = media_type(response)
    document = None
    if kind.startswith("application/connect+"):
        document = _json(_end_of_stream(body))
    elif "json" in kind:
        document = _json(body)
    problem = document.get("type") if isinstance(document, dict) else None
    decision = denied_by(marker(response))
    if decision is None and kind == PROBLEM and isinstance(problem, str):
        decision = _PROBLEM_TYPES.get(problem)
    if decision is None:
        return None
    # The operator's custom content may use these names with other meanings. Errors of Connect
    # and GraphQL contain the problem type as well.
    is_ours = kind == PROBLEM or isinstance(problem, str) and problem in _PROBLEM_TYPES
    source = document if is_ours else None
    if kind.startswith("application/grpc"):
        names = ("grpc-message", "grpc-status-details-bin")
        trailers = calls.web_trailers(kind, body)
        source = calls.facts(*(field(response, name) or trailers.get(name, "") for name in names))
    names = UPDATE | WINDOW if decision == "maintenance" else UPDATE
    facts = Facts.read(source, names)
    retry_after = field(response, "Retry-After")
    if re.fullmatch("[0-9]{1,10}", retry_after):
        facts = replace(facts, retry_after_seconds=int(retry_after))
    return Maintenance(facts) if decision == "maintenance" else Required(facts)


def hint(response) -> Allowed | Recommended | None:
    """Returns the hint in a response from the backend; hints have no texts."""
    items = marker(response)
    if is_own_path(getattr(response, "url", None)) or denied_by(items):
        return None
    parameters = {word: item for item in reversed(items) for word in item[:1]}
    announced = None
    if "maintenance-announced" in parameters:
        announced = _facts(parameters["maintenance-announced"], WINDOW)
    if "recommend" in parameters:
        return Recommended(_facts(parameters["recommend"], UPDATE), announced)
    return Allowed(announced) if announced else None


def read_status(response, body: bytes | str) -> State | Unchanged:
    """Returns the state in a response from `/.versiongate/status`."""
    if response.status == 304:
        return Unchanged()
    if response.status != 200 or media_type(response) != "application/json":
        return Unknown()
    return state_of(_json(body)) or Unknown()


def read_events(body: str) -> list[State]:
    """Returns the states in the content of a response from `/.versiongate/events`, in order."""
    events = EventReader()
    # Lines end with CRLF, LF or CR (HTML Living Standard, section 9.2.6).
    return [state for line in re.split("\r\n|\n|\r", body) if (state := events.read(line))]


class EventReader:
    """A line-based parser for Server-Sent Events."""

    def __init__(self) -> None:
        self.retry: float | None = None
        self.last_id: str | None = None
        self._id: str | None = None
        self._name, self._data, self._size = "", [], 0

    def begin(self) -> None:
        """Starts another stream, and discards an incomplete event.

        HTML Living Standard, section 9.2.6.
        """
        self._id = self.last_id
        self._name, self._data, self._size = "", [], 0

    def read(self, line: str) -> State | None:
        """Returns the state that this line completes; the line has no line terminator."""
        if not line:
            name, data = self._name, "\n".join(self._data)
            # Set only for complete events: the gate does not repeat an event that was acknowledged.
            self.last_id = self._id
            self._name, self._data, self._size = "", [], 0
            return state_of(_json(data)) if name == "decision" else None
        self._size += len(line)
        if self._size > _LONGEST_EVENT:
            raise ValueError("too long for an event")
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._name = value
        elif name == "data":
            self._data.append(value)
        elif name == "id":
            self._id = value
        elif name == "retry" and re.fullmatch("[0-9]{1,9}", value):
            self.retry = int(value) / 1000
        return None


def state_of(document: object) -> State | None:
    """Returns the state in a status document; `None` if the document is invalid."""
    if not isinstance(document, dict):
        return None
    update = Facts.read(document, UPDATE)
    announced = Facts.read(document, WINDOW)
    announced = announced if announced.maintenance_from else None
    match document.get("decision"):
        case "allow":
            return Allowed(announced)
        case "recommend":
            return Recommended(update, announced)
        case "require":
            return Required(update, announced)
        case "maintenance":
            return Maintenance(Facts.read(document, UPDATE | WINDOW))
    return None


def marker(response) -> list[Item]:
    values = response.headers.get_all(MARKER) or []
    return tokens(", ".join(values))


def denied_by(items: list[Item]) -> str | None:
    """Returns the strictest decision, if it is a denial."""
    words = {word for word, _ in items}
    return next((word for word in ("maintenance", "require") if word in words), None)


def field(response, name: str) -> str:
    return response.headers.get(name) or ""


def media_type(response) -> str:
    return field(response, "Content-Type").partition(";")[0].strip().lower()


def is_own_path(url: str | None) -> bool:
    """Returns whether a URL is an endpoint of the gate, whose responses `read_status` reads."""
    return url is not None and urlsplit(url).path.startswith(FOLDER)


def _facts(item: Item, names: frozenset[str]) -> Facts:
    members = {}
    for key, value in item[1].items():
        camel = re.sub("-([a-z])", lambda match: match[1].upper(), key)
        members[_RENAMED.get(key, camel)] = value
    return Facts.read(members, names)


def _end_of_stream(body: bytes | str | None) -> bytes | str:
    """Returns the end-of-stream message of a Connect stream, if the content has its envelope.

    The envelope is one byte of flags and four of length. Decoded as text, these are five
    characters, since the length is below 48 KiB.
    """
    return body[5:] if body and body[0] in (2, "\x02") else ""


def _json(body: bytes | str | None) -> object:
    try:
        return json.loads(body or "")
    except (ValueError, RecursionError):
        return None
