"""HTTP/1.1, implemented by hand so that a response can fail at any byte."""

import socket
import ssl
import struct
import threading

from .messages import Request

LARGEST_HEAD = 64 * 1024


class Connection:
    """A client's connection, with or without TLS."""

    def __init__(self, sock, listener):
        self.sock = sock
        self.listener = listener
        self.buffer = b""
        self.writing = threading.Lock()

    def read_request(self):
        """Returns the next request, or None if the client has closed or does not send HTTP."""
        while b"\r\n\r\n" not in self.buffer:
            if len(self.buffer) > LARGEST_HEAD or not self.fill():
                return None
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        words = lines[0].split(" ")
        if len(words) != 3:
            return None
        fields = []
        for line in lines[1:]:
            name, _, value = line.partition(":")
            fields.append((name.strip().lower(), value.strip()))
        request = Request(words[0], words[1], fields, b"", self.listener)
        if (request.field("expect") or "").lower() == "100-continue":
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        if (request.field("transfer-encoding") or "").lower() == "chunked":
            request.body = self.read_chunks()
        else:
            request.body = self.read_exactly(int(request.field("content-length") or 0))
        return None if request.body is None else request

    def read_chunks(self):
        body = b""
        while True:
            line = self.read_line()
            size = None if line is None else int(line.split(b";")[0], 16)
            if size is None:
                return None
            chunk = self.read_exactly(size)
            if chunk is None or self.read_line() is None:
                return None
            if size == 0:
                return body
            body += chunk

    def read_line(self):
        while b"\r\n" not in self.buffer:
            if not self.fill():
                return None
        line, _, self.buffer = self.buffer.partition(b"\r\n")
        return line

    def read_exactly(self, count):
        while len(self.buffer) < count:
            if not self.fill():
                return None
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def fill(self):
        data = self.sock.recv(65536)
        self.buffer += data
        return bool(data)

    def send(self, data):
        with self.writing:
            self.sock.sendall(data)

    def send_chunk(self, data):
        self.send(b"%x\r\n%s\r\n" % (len(data), data))

    def send_answer(self, answer, request, wire):
        """Sends a response as the `wire` switches specify, and returns whether the connection can
        be reused.
        """
        body = answer.body if answer.has_body else b""
        framing = answer.framing or wire["framing"]
        keeps = framing != "close" and wire["keepAlive"] and asks_to_keep(request)
        extra = [] if keeps else [("Connection", "close")]
        if not answer.has_body:
            framing = "close"
        elif framing == "length":
            extra.append(("Content-Length", str(len(body))))
        elif framing == "chunked":
            extra.append(("Transfer-Encoding", "chunked"))
        self.send(answer.head(extra))
        if request.method == "HEAD" or not answer.has_body:
            return keeps
        for piece in pieces_of(body, wire["pieces"]):
            self.send_chunk(piece) if framing == "chunked" else self.send(piece)
        if framing == "chunked":
            self.send(b"0\r\n\r\n")
        return keeps

    def close(self):
        """Closes normally: sent data arrives, and TLS sends close_notify."""
        try:
            if isinstance(self.sock, ssl.SSLSocket):
                self.sock.settimeout(1)
                self.sock = self.sock.unwrap()
            self.sock.shutdown(socket.SHUT_RDWR)
        except (OSError, ValueError):
            pass
        self.discard()

    def reset(self):
        """Closes with an RST."""
        try:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass
        self.discard()

    def cut(self):
        """Closes from another thread, even if the connection's own thread is blocked."""
        try:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            # On the plain socket: a TLS socket discards its session when it is shut down.
            socket.socket.shutdown(self.sock, socket.SHUT_RDWR)
        except OSError:
            pass

    def discard(self):
        try:
            self.sock.close()
        except OSError:
            pass

    def wait_until_gone(self):
        """Discards all data until the client closes."""
        self.sock.settimeout(None)
        while self.sock.recv(65536):
            pass


def asks_to_keep(request):
    return (request.field("connection") or "").lower() != "close"


def pieces_of(body, size):
    """Returns the body in parts of `size` bytes, which also split characters; 0 returns one part.
    """
    if size <= 0:
        return [body] if body else []
    return [body[start:start + size] for start in range(0, len(body), size)]
