"""Requests to the gate, and to the backend through it."""

from __future__ import annotations

import http.client
import io
import json
import os
import random
import tempfile
import threading
import time
import urllib.error
import urllib.request
import urllib.response
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Protocol
from urllib.parse import urlencode, urlsplit

from .reading import (
    FOLDER, PROBLEM, EventReader, denied_by, field, inspect, is_own_path, marker,
    media_type, read_status,
)
from .states import (
    Allowed, Facts, Maintenance, Recommended, Required, State, Unchanged, Unknown, from_wire,
    parse_time, wire,
)

FIELD_NAMES = {
    "app": "X-App-Id",
    "platform": "X-App-Platform",
    "version": "X-App-Version",
    "build": "X-App-Build",
    "channel": "X-App-Channel",
    "os_version": "X-OS-Version",
    "device": "X-Device-Id",
    "storefront": "X-App-Storefront",
    "language": "Accept-Language",
}
_DAY = 86_400
# The maximum size of a status in bytes; larger responses are not from a gate.
_LONGEST_STATUS = 1 << 20
_LONGEST_PAUSE = 60.0
_POLITE_PAUSE = 3.0


class GateDenied(Exception):
    """Raised instead of returning a denial; `response` is the response."""

    def __init__(self, denial: Required | Maintenance, response) -> None:
        facts = denial.window if isinstance(denial, Maintenance) else denial.update
        super().__init__(facts.message or facts.title or "the app must be updated")
        self.denial = denial
        self.response = response


class Storage(Protocol):
    """Storage for the last state of a client."""

    def load(self) -> str | None: ...

    def save(self, text: str) -> None: ...


class FileStorage:
    """Storage in a file, which is replaced atomically."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)

    def load(self) -> str | None:
        try:
            return self._path.read_text("utf-8")
        except (OSError, ValueError):
            return None

    def save(self, text: str) -> None:
        descriptor, name = tempfile.mkstemp(dir=self._path.parent, prefix=self._path.name)
        try:
            with open(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(name, self._path)
        except BaseException:
            os.unlink(name)
            raise


class VersionGate:
    """A client for one gate; it is thread-safe."""

    def __init__(
        self,
        base_url: str,
        identity: Mapping[str, object],
        *,
        storage: Storage | None = None,
        field_names: Mapping[str, str] | None = None,
        timeout: float = 5.0,
        patience: float = 30.0,
        clock: Callable[[], float] = time.time,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """Creates a client.

        `identity` has the keys of `FIELD_NAMES`, and `field_names` maps them to other headers.

        `timeout` is the timeout of a status request, and `patience` the time without data after
        which a stream is considered dead, both in seconds. The gate sends a heartbeat every 15 s.
        """
        self._base = base_url.rstrip("/")
        self._identity = dict(identity)
        self._storage = storage
        self._names = {**FIELD_NAMES, **(field_names or {})}
        self._timeout, self._patience = timeout, patience
        self._clock, self._chance = clock, chance
        self._opener = urllib.request.build_opener()
        self._plain_opener = urllib.request.build_opener(_NoRedirects)
        self._lock = threading.Lock()
        # Responses by query, with their entity tags.
        self._known: dict[str, tuple[str, State]] = {}
        self._last, self._snoozed = self._load()

    def headers(self) -> dict[str, str]:
        """Returns the headers with the identity of the client."""
        return {
            self._names[part]: str(value)
            for part, value in self._identity.items()
            if part in self._names and value is not None
        }

    def urlopen(self, request: str | urllib.request.Request, data=None, timeout: float = 60.0):
        """Like `urllib.request.urlopen`, with the headers that identify the client.

        Raises `GateDenied` instead of returning a denial, and the errors of `urlopen`. Requests to
        other origins are sent unchanged.
        """
        if isinstance(request, str):
            if request.startswith("/"):
                request = self._base + request
            request = urllib.request.Request(request)
        if _origin(request.full_url) != _origin(self._base):
            return self._opener.open(request, data, timeout)
        for name, value in self.headers().items():
            if not request.has_header(name.capitalize()):
                request.add_header(name, value)
        try:
            response = self._opener.open(request, data, timeout)
        except urllib.error.HTTPError as error:
            if not _is_worth_reading(error):
                raise
            body = error.read()
            if denial := inspect(error, body):
                raise GateDenied(denial, error) from None
            raise urllib.error.HTTPError(
                error.url, error.code, error.reason, error.headers, io.BytesIO(body)
            ) from None
        # The operator may have configured another status, and gRPC responses always have the status 200.
        if not _is_worth_reading(response):
            return response
        with response:
            body = response.read()
        if denial := inspect(response, body):
            raise GateDenied(denial, response)
        return urllib.response.addinfourl(
            io.BytesIO(body), response.headers, response.url, response.status
        )

    def check(self, path: str | None = None, method: str | None = None) -> State:
        """Returns the state of the client; call it at the start, or before using a part of the API.

        Never raises because the network is unavailable: without a response of the gate, the state
        is `Unknown`, with the last known state.
        """
        parts = [("path", path), ("method", method)]
        query = urlencode([(name, value) for name, value in parts if value is not None])
        with self._lock:
            known = self._known.get(query)
        try:
            state = self._ask(query, known)
        except (OSError, ValueError, EOFError, http.client.HTTPException):
            state = Unknown()
        if isinstance(state, Unknown):
            return self._unknown() if path is None else Unknown(known[1] if known else None)
        if path is None:
            self._remember(state)
        return self._shown(state)

    def states(self, stop: threading.Event | None = None) -> Iterator[State]:
        """Yields the state of the client and each change; blocks between states.

        The iterator never ends on its own, and reconnects after a loss; it yields `Unknown` once a
        reconnection has failed. `stop` is checked with each heartbeat.
        """
        stop = stop or threading.Event()
        events, failures, told = EventReader(), 0, None
        while not stop.is_set():
            try:
                for state in self._stream(events, stop):
                    failures = 0
                    self._remember(state)
                    shown = self._shown(state)
                    if shown != told:
                        told = shown
                        yield shown
            except (OSError, ValueError, EOFError, http.client.HTTPException):
                failures += 1
                # Without an ID, the gate sends the current state again.
                events.last_id = None
                if not stop.is_set() and not isinstance(told, Unknown):
                    told = self._unknown()
                    yield told
            stop.wait(self._pause(events.retry or _POLITE_PAUSE, failures))

    def snooze(self, update: Facts) -> bool:
        """Hides a recommendation for a while.

        Until the time has passed, or another version is recommended, the state is `Allowed`.
        Returns whether the update can be snoozed: a required update never can.
        """
        with self._lock:
            if self._last is not None and not isinstance(self._last, Recommended):
                return False
            seconds = _DAY if update.snooze_seconds is None else update.snooze_seconds
            self._snoozed = (update.latest_version or "", self._clock() + seconds)
            self._save()
        return True

    def _ask(self, query: str, known: tuple[str, State] | None) -> State:
        url = self._base + FOLDER + "status" + (f"?{query}" if query else "")
        request = urllib.request.Request(url, headers=self.headers())
        if known:
            request.add_header("If-None-Match", known[0])
        deadline = time.monotonic() + self._timeout
        try:
            response = self._plain_opener.open(request, None, self._timeout)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            state = read_status(response, _content(response, deadline))
            if isinstance(state, Unchanged):
                return known[1] if known else Unknown()
            tag = field(response, "ETag")
        if tag and not isinstance(state, Unknown):
            with self._lock:
                self._known[query] = (tag, state)
        return state

    def _stream(self, events: EventReader, stop: threading.Event) -> Iterator[State]:
        headers = {**self.headers(), "Accept": "text/event-stream"}
        events.begin()
        if events.last_id is not None:
            headers["Last-Event-ID"] = events.last_id
        request = urllib.request.Request(self._base + FOLDER + "events", headers=headers)
        has_heard = False
        with self._plain_opener.open(request, None, self._patience) as response:
            if response.status != 200 or media_type(response) != "text/event-stream":
                raise ValueError("not an event stream")
            while line := response.readline(_LONGEST_STATUS):
                has_heard = True
                if stop.is_set():
                    return
                if state := events.read(line.decode("utf-8", "replace").rstrip("\r\n")):
                    yield state
        if not has_heard:
            raise ValueError("the event stream was empty")

    def _pause(self, retry: float, failures: int) -> float:
        """Returns the delay in seconds: `retry`, doubled after each failure, plus a random part."""
        pause = min(retry * 2 ** min(max(0, failures - 1), 10), max(retry, _LONGEST_PAUSE))
        return pause * (1 + self._chance() / 2)

    def _unknown(self) -> Unknown:
        with self._lock:
            last = self._last
        return Unknown(None if last is None or self._is_over(last) else last)

    def _is_over(self, state: State) -> bool:
        """Returns whether a state has expired."""
        end = None
        if isinstance(state, Maintenance):
            end = state.window.maintenance_until
        elif isinstance(state, Required):
            end = state.update.brownout_until
        time = parse_time(end) if end else None
        return time is not None and time.timestamp() <= self._clock()

    def _shown(self, state: State) -> State:
        if not isinstance(state, Recommended):
            return state
        with self._lock:
            snoozed = self._snoozed
        if snoozed is None or snoozed[0] != (state.update.latest_version or ""):
            return state
        return Allowed(state.announced) if self._clock() < snoozed[1] else state

    def _remember(self, state: State) -> None:
        with self._lock:
            if state != self._last:
                self._last = state
                self._save()

    def _key(self) -> list[object]:
        """Returns the key under which the state of the build is stored."""
        return [self._identity.get(part) for part in ("app", "platform", "version", "build")]

    def _load(self) -> tuple[State | None, tuple[str, float] | None]:
        try:
            stored = json.loads(self._storage.load() or "") if self._storage else None
        except (OSError, ValueError):
            stored = None
        if not isinstance(stored, dict) or stored.get("identity") != self._key():
            return None, None
        snoozed = stored.get("snoozed")
        match snoozed:
            case [str(version), int() | float() as until]:
                return from_wire(stored.get("state")), (version, until)
        return from_wire(stored.get("state")), None

    def _save(self) -> None:
        if self._storage is None:
            return
        document = {
            "identity": self._key(), "state": wire(self._last), "snoozed": self._snoozed,
        }
        try:
            self._storage.save(json.dumps(document))
        except OSError:
            # Without storage, the state is only kept in memory.
            pass


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Does not follow redirects, since the gate never redirects."""

    def redirect_request(self, *_):
        return None


def _is_worth_reading(response) -> bool:
    """Returns whether the content may be that of a denial."""
    if is_own_path(response.url):
        return False
    return denied_by(marker(response)) is not None or media_type(response) == PROBLEM


def _content(response, deadline: float) -> bytes:
    content = b""
    while piece := response.read1(65_536):
        content += piece
        if len(content) > _LONGEST_STATUS or time.monotonic() > deadline:
            raise TimeoutError("too long for a status")
    return content


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname, port
