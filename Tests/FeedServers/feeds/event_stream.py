"""A Realtime Database's server-sent events, in every form that a parser must support."""

import collections
import json
import select
import socket
import time

from .messages import Answer
from .wire import pieces_of

# The switches of a stream.
STREAM = {
    "keepAlive": 30, "firstEvent": "put", "lineEnd": "lf", "space": True, "comments": False,
    "unknownEvents": False, "splitData": False, "afterCancel": "close", "framing": "close",
    "contentType": "text/event-stream; charset=utf-8",
}
STREAM_CHOICES = {
    "stream.firstEvent": ("put", "keep-alive", "none"),
    "stream.lineEnd": ("lf", "crlf", "cr"),
    "stream.afterCancel": ("close", "stay"),
    "stream.framing": ("close", "chunked"),
}
LINE_ENDS = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}


def event(name, data, form):
    """Returns the bytes of an event, in the form that the switches specify."""
    # Outside of strings, JSON may be split into lines, each of which becomes a data line.
    text = json.dumps(data, ensure_ascii=False, indent=1 if form["splitData"] else None,
                      separators=(",", ":"))
    colon = ": " if form["space"] else ":"
    lines = [":a comment"] if form["comments"] else []
    lines += ["event" + colon + name, *("data" + colon + line for line in text.split("\n")), ""]
    end = LINE_ENDS[form["lineEnd"]]
    return "".join(line + end for line in lines).encode()


class EventStream:
    """An open stream. Other threads add events, and the thread of the connection sends them."""

    def __init__(self, database, path, access):
        self.database = database
        self.path = path
        self.access = access
        self.waiting = collections.deque()
        self.ending = None
        self.is_stalled = False
        self.inner, self.outer = socket.socketpair()
        self.outer.setblocking(False)

    @property
    def form(self):
        return self.database.state["stream"]

    def opening(self):
        """Returns the response up to the first event, so that a fault can change it."""
        answer = self.head()
        answer.body = b"".join(self.waiting)
        answer.filler = b":"
        self.forget()
        return answer

    def head(self):
        answer = Answer(200, b"", self.form["contentType"], [("Cache-Control", "no-cache")])
        answer.framing = self.form["framing"]
        return answer

    def put_in(self, data):
        self.waiting.append(data)
        self.wake()

    def end(self, how):
        """Ends the stream: `close` ends it normally, `truncate` omits the last chunk, and `reset`
        sends an RST.
        """
        self.ending = how
        self.wake()

    def wake(self):
        try:
            self.outer.send(b"!")
        except OSError:
            # If the pipe is full, the stream wakes anyway; if it is closed, the stream no longer
            # exists.
            pass

    def run(self, connection, request):
        chunked = self.form["framing"] == "chunked"
        framing = ("Transfer-Encoding", "chunked") if chunked else ("Connection", "close")
        try:
            connection.send(self.head().head([framing]))
            self.send_events(connection, chunked)
            if self.ending == "reset":
                connection.reset()
            elif self.ending == "close" and chunked:
                connection.send(b"0\r\n\r\n")
        finally:
            self.forget()

    def send_events(self, connection, chunked):
        last = time.monotonic()
        while True:
            while self.waiting and not self.is_stalled:
                for piece in pieces_of(
                        self.waiting.popleft(), self.database.state["wire"]["pieces"]):
                    connection.send_chunk(piece) if chunked else connection.send(piece)
                last = time.monotonic()
            if self.ending is not None:
                return
            patience = last + self.form["keepAlive"] - time.monotonic()
            if patience <= 0 and not self.is_stalled:
                self.waiting.append(event("keep-alive", None, self.form))
                continue
            ready, _, _ = select.select(
                [connection.sock, self.inner], [], [], None if self.is_stalled else patience)
            if self.inner in ready:
                self.inner.recv(4096)
            elif connection.sock in ready and not connection.sock.recv(4096):
                return

    def forget(self):
        self.database.streams.forget(self)
        self.inner.close()
        self.outer.close()
