"""Clients that only occupy connections of the admin listener, in a separate process."""

import contextlib
import heapq
import multiprocessing
import os
import random
import selectors
import socket
import time

HEAD = "HTTP/1.1\r\nHost: localhost\r\n"
# The first bytes of each kind, and the bytes that it adds every second.
KINDS = {
    "silent": ("", ""),
    "streams": (f"GET /api/v1/events {HEAD}\r\n", ""),
    "bodies": (f"POST /hooks/a {HEAD}Content-Length: 1000\r\n\r\nx", "x"),
}


class Crowd:
    """A number of connections of each kind. A closed connection is reopened after `again` seconds on average.

    Real clients would be on other machines, so these have a low priority.
    """

    def __init__(self, port, counts, again):
        self._stop = multiprocessing.Event()
        self._opened = multiprocessing.Value("Q", 0)
        self._process = multiprocessing.Process(
            target=hold, args=(port, counts, again, self._stop, self._opened), daemon=True
        )

    def start(self):
        self._process.start()

    def end(self):
        """Closes all connections, and returns how many were opened in total."""
        self._stop.set()
        self._process.join()
        return self._opened.value


def hold(port, counts, again, stop, opened):
    os.nice(10)
    selector = selectors.EpollSelector()
    due = [(0.0, number, kind) for number, kind in enumerate(kind for kind, count in counts.items() for _ in range(count))]
    heapq.heapify(due)
    held = {}
    next_byte = time.monotonic() + 1

    def close(connection):
        selector.unregister(connection)
        number, kind = held.pop(connection)
        connection.close()
        # The connections are distributed over time.
        heapq.heappush(due, (time.monotonic() + again * random.uniform(0.5, 1.5), number, kind))

    while not stop.is_set():
        now = time.monotonic()
        while due and due[0][0] <= now:
            _, number, kind = heapq.heappop(due)
            connection = socket.socket()
            connection.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                connection.connect(("127.0.0.1", port))
            opened.value += 1
            held[connection] = (number, kind)
            first = KINDS[kind][0]
            selector.register(connection, selectors.EVENT_WRITE if first else selectors.EVENT_READ, first)
        if now >= next_byte:
            next_byte = now + 1
            for connection, (_, kind) in list(held.items()):
                if KINDS[kind][1]:
                    with contextlib.suppress(OSError):
                        connection.send(KINDS[kind][1].encode())
        for key, events in selector.select(timeout=0.05):
            connection = key.fileobj
            try:
                if events & selectors.EVENT_WRITE:
                    connection.send(key.data.encode())
                    selector.modify(connection, selectors.EVENT_READ)
                elif not (answer := connection.recv(65536)) or answer.startswith(b"HTTP/1.1 503"):
                    close(connection)
            except OSError:
                close(connection)
    for connection in held:
        connection.close()
