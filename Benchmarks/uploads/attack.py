"""HTTP/2 clients whose uploads are denied and never end, in a separate process."""

import contextlib
import multiprocessing
import os
import selectors
import socket
import time

from dearest.client import ACK, DATA, END_HEADERS, HEADERS, PREFACE, RESET, SETTINGS, WINDOW, frame, literal

GOAWAY = 7
FIRST_WINDOW = 65_535
PIECE = bytes(16_384)
# The number of bytes in the frames that are prepared at a time.
AHEAD = 256 * 1024
REQUEST = b"\x83\x86\x84" + literal(b":authority", b"api.example.com") + literal(b"x-app-platform", b"ios") \
    + literal(b"x-app-version", b"1.0.0")


class Connection:
    """A connection with several concurrent uploads. With `again`, another one follows each that the gate resets."""

    def __init__(self, port, streams, again):
        self._again = again
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setblocking(False)
        self.out = bytearray(PREFACE + frame(SETTINGS, 0, 0))
        self._received = bytearray()
        self._room = FIRST_WINDOW
        self._rooms = {}
        self._next = 1
        self.sent = self.resets = 0
        for _ in range(streams):
            self._open()

    def _open(self):
        self.out += frame(HEADERS, END_HEADERS, self._next, REQUEST)
        self._rooms[self._next] = FIRST_WINDOW
        self._next += 2

    def fill(self):
        """Adds DATA frames, as many as the windows allow."""
        for stream, room in self._rooms.items():
            while room > 0 and self._room > 0 and len(self.out) < AHEAD:
                piece = PIECE[:min(room, self._room, len(PIECE))]
                self.out += frame(DATA, 0, stream, piece)
                room -= len(piece)
                self._room -= len(piece)
                self.sent += len(piece)
            self._rooms[stream] = room

    def write(self):
        with contextlib.suppress(BlockingIOError):
            del self.out[:self.socket.send(self.out)]

    def read(self):
        """Reads frames, and returns whether the connection is still open."""
        try:
            received = self.socket.recv(65536)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self._received += received
        while len(self._received) >= 9:
            length = int.from_bytes(self._received[:3], "big")
            if len(self._received) < 9 + length:
                break
            kind, flags = self._received[3:5]
            stream = int.from_bytes(self._received[5:9], "big")
            payload = bytes(self._received[9:9 + length])
            del self._received[:9 + length]
            if kind == GOAWAY:
                return False
            self._take(kind, flags, stream, payload)
        return bool(received)

    def _take(self, kind, flags, stream, payload):
        if kind == SETTINGS and not flags & ACK:
            self.out += frame(SETTINGS, ACK, 0)
        elif kind == WINDOW:
            room = int.from_bytes(payload, "big")
            if stream == 0:
                self._room += room
            elif stream in self._rooms:
                self._rooms[stream] += room
        elif kind == RESET and self._rooms.pop(stream, None) is not None:
            self.resets += 1
            if self._again:
                self._open()


class Attack:
    """Several connections, each with several uploads that never end."""

    def __init__(self, port, connections, streams, again):
        self._stop = multiprocessing.Event()
        self._sent = multiprocessing.Value("Q", 0)
        self._resets = multiprocessing.Value("Q", 0)
        self._process = multiprocessing.Process(
            target=attack, args=(port, connections, streams, again, self._stop, self._sent, self._resets), daemon=True
        )

    def start(self):
        self._process.start()

    def end(self):
        """Closes the connections, and returns the number of body bytes sent and of streams reset."""
        self._stop.set()
        self._process.join()
        return self._sent.value, self._resets.value


def attack(port, count, streams, again, stop, sent, resets):
    # Real clients would be on other machines, so this process has a low priority.
    os.nice(10)
    selector = selectors.EpollSelector()
    connections = []

    def connect():
        connection = Connection(port, streams, again)
        connections.append(connection)
        selector.register(connection.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, connection)

    for _ in range(count):
        connect()
    while not stop.is_set():
        for key, events in selector.select(0.05):
            connection = key.data
            if not connection.read():
                selector.unregister(connection.socket)
                connection.socket.close()
                connect()
                continue
            connection.fill()
            if connection.out:
                with contextlib.suppress(OSError):
                    connection.write()
            wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if connection.out else 0)
            if key.events != wanted:
                selector.modify(connection.socket, wanted, connection)
        time.sleep(0)
    sent.value = sum(each.sent for each in connections)
    resets.value = sum(each.resets for each in connections)
    for each in connections:
        each.socket.close()
