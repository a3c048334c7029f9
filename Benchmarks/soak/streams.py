"""Clients whose event streams and WebSockets through Envoy stay open while the rules change."""

import contextlib
import dataclasses
import http.client
import random
import select
import socket
import threading
import time

from .exchange import FRAME, HANDSHAKE

# Within the timeout of the route.
SECONDS = 55
PATIENCE_SECONDS = 30
CURRENT = "1000000.0"
ECHO = b"\x81\x05hello"


class Denied(Exception):
    """The request was denied, so there is no stream."""


class WrongResponse(Exception):
    """The response is neither the stream nor a denial."""


@dataclasses.dataclass
class History:
    """When each revision was written; it is in force at most `most_seconds` later."""

    most_seconds: float
    changes: list = dataclasses.field(default_factory=list)

    def add(self, number):
        self.changes.append((time.monotonic(), number))

    def since(self, begin):
        """Returns the numbers of all revisions that can have been in force since then."""
        changes = list(self.changes)
        replaced = sum(instant <= begin - self.most_seconds for instant, _ in changes[1:])
        return [number for _, number in changes[replaced:]]


def fields(version):
    return f"Host: soak\r\nX-App-Platform: load\r\nX-App-Version: {version}\r\n"


@contextlib.contextmanager
def stream(port, head, status):
    """Sends a request, and yields the socket and the response."""
    with contextlib.ExitStack() as stack:
        try:
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS))
            connection.sendall(head.encode() + b"\r\n")
            response = http.client.HTTPResponse(connection)
            response.begin()
        except (OSError, http.client.HTTPException) as error:
            raise WrongResponse(f"no response: {error!r}") from error
        with response:
            if response.status == 426:
                raise Denied
            if response.status != status:
                raise WrongResponse(f"status {response.status}")
            yield connection, response


def events(port, version):
    """Reads an event stream to its end; yields after each event."""
    head = f"GET /events/{SECONDS} HTTP/1.1\r\n{fields(version)}Accept: text/event-stream\r\n"
    with stream(port, head, 200) as (_, response):
        while (line := response.readline()) != b"data: end\n":
            if not line:
                raise ConnectionError("cut")
            yield


def websocket(port, version):
    """Exchanges a message each second; yields after each."""
    with open_websocket(port, version) as (connection, response):
        for _ in range(SECONDS):
            exchange_message(connection, response)
            yield
            time.sleep(1)


def idle_websocket(port, version):
    """Exchanges one message at the end; yields after each second without any."""
    with open_websocket(port, version) as (connection, response):
        for _ in range(SECONDS):
            if select.select([connection], [], [], 1)[0]:
                break
            yield
        exchange_message(connection, response)


def open_websocket(port, version):
    return stream(port, f"GET /websocket HTTP/1.1\r\n{fields(version)}{HANDSHAKE}", 101)


def exchange_message(connection, response):
    connection.sendall(FRAME)
    echo = response.fp.read(len(ECHO))
    if len(echo) < len(ECHO):
        raise ConnectionError("cut")
    if echo != ECHO:
        raise WrongResponse(f"echo {echo}")


class StreamClients:
    """Threads that open one stream after another, most of them with a version that is denied soon."""

    def __init__(self, count, port, history):
        self._port, self._history = port, history
        self._stop, self._lock = threading.Event(), threading.Lock()
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(count)]
        self.ends, self.wrong = {"complete": 0, "cut": 0, "denied": 0}, []

    def start(self):
        for thread in self._threads:
            thread.start()

    def stop(self):
        self._stop.set()
        for thread in self._threads:
            if thread.ident:
                thread.join()

    def faults(self):
        """Returns what was wrong, and what never happened."""
        wrong = self.wrong[:5] + ([f"{len(self.wrong)} wrong streams"] if self.wrong else [])
        return wrong + [f"no stream was {name}" for name, count in self.ends.items() if not count]

    def _run(self):
        while not self._stop.is_set():
            newest = self._history.changes[-1][1]
            self.visit(
                random.choice((events, websocket, idle_websocket)),
                None if random.random() < 0.25 else newest + random.randrange(-1, 3),
            )
            self._stop.wait(random.random())

    def visit(self, kind, floor):
        """Follows a stream to its end, unless all are to stop, and checks it.

        `floor`: the last revision that does not deny the client; None if none does.
        """
        opened = time.monotonic()
        try:
            end = self._follow(kind, floor)
        except Denied:
            end = "denied"
        except TimeoutError:
            end = "silent"
        except (ConnectionError, http.client.HTTPException):
            end = "cut"
        except Exception as error:  # A thread that ends must not go unnoticed.
            end = repr(error)
        if end is None:
            return
        may_end = floor is not None and max(self._history.since(opened)) > floor
        with self._lock:
            self.ends[end] = self.ends.get(end, 0) + 1
            if end not in ("complete", "cut", "denied") or (end != "complete" and not may_end):
                self.wrong.append(f"{kind.__name__}, floor {floor}: {end}")

    def _follow(self, kind, floor):
        """Returns how a stream ended; None if all are to stop."""
        version = CURRENT if floor is None else f"{floor}.5"
        with contextlib.closing(kind(self._port, version)) as exchanges:
            for _ in exchanges:
                if self._stop.is_set():
                    return None
                if floor is not None and min(self._history.since(time.monotonic())) > floor:
                    return "open although it has been denied for long"
        return "complete"
