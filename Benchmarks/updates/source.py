"""A Realtime Database with a value that changes repeatedly, and its event stream."""

import json
import socket
import threading

PATH = "/app/version"
STORE_URL = "https://apps.apple.com/app/id1234567890"
HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
    b"Cache-Control: no-cache\r\n\r\n"
)


class Database:
    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._changed = threading.Lock()
        self._value = value(0)
        self._streams = []
        # The number of streams that were opened; more than one means that a stream was lost.
        self.opened = 0
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def entry(self):
        port = self._listener.getsockname()[1]
        return (
            f"source: firebaseDatabase\n    database: http://127.0.0.1:{port}\n"
            f"    path: {PATH}\n    rule: {{ match: {{ platform: ios }} }}"
        )

    def stop(self):
        """The server's thread ends with the program."""

    def put(self, number):
        """Changes the value, and sends it to all streams; waits if they do not keep up."""
        with self._changed:
            self._value = value(number)
            for stream in self._streams:
                stream.sendall(event(self._value))

    def _serve(self):
        while True:
            stream, _ = self._listener.accept()
            request = b""
            while b"\r\n\r\n" not in request:
                request += stream.recv(4096)
            with self._changed:
                stream.sendall(HEAD + event(self._value))
                self._streams.append(stream)
                self.opened += 1


def floor(number):
    return f"1.0.{number}"


def value(number):
    return {
        "minVersion": floor(number), "version": "4.2.0",
        "storeUrl": STORE_URL, "title": "Update required", "message": message(number),
    }


def message(number):
    return f"Change {number}: please update."


def event(data):
    text = json.dumps({"path": "/", "data": data}, separators=(",", ":"))
    return f"event: put\ndata: {text}\n\n".encode()
