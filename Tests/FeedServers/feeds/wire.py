"""HTTP/1.1 by hand, so that an answer can go wrong at any byte."""

import base64
import gzip
import json
import socket
import ssl
import struct
import threading
from email.utils import formatdate
from http import HTTPStatus
from urllib.parse import parse_qsl, unquote, urlsplit

LARGEST_HEAD = 64 * 1024


class Request:
    """One request as it came; field names are in lower case."""

    def __init__(self, method, target, fields, body, listener):
        split = urlsplit(target)
        self.method = method
        self.target = target
        self.path = unquote(split.path)
        self.raw_path = split.path
        self.query = parse_qsl(split.query, keep_blank_values=True)
        self.fields = fields
        self.body = body
        self.listener = listener

    def field(self, name):
        """All values of a field, joined as RFC 9110 section 5.3 has it; None: not there."""
        values = [value for each, value in self.fields if each == name]
        return ", ".join(values) if values else None

    def parameter(self, name, default=None):
        return next((value for each, value in self.query if each == name), default)

    @property
    def parameters(self):
        return dict(self.query)

    @property
    def accepts_gzip(self):
        return "gzip" in (self.field("accept-encoding") or "").lower()

    @property
    def bearer(self):
        scheme, _, token = (self.field("authorization") or "").partition(" ")
        return token.strip() if scheme.lower() == "bearer" and token else None

    def described(self):
        """What the log shows of it."""
        names = dict.fromkeys(name for name, _ in self.fields)
        described = {
            "listener": self.listener.name,
            "method": self.method,
            "target": self.target,
            "path": self.path,
            "query": self.parameters,
            "headers": {name: self.field(name) for name in names},
        }
        try:
            described["body"] = self.body.decode()
        except UnicodeDecodeError:
            described["base64"] = base64.b64encode(self.body).decode()
        return described


class Answer:
    """One answer: what a server means to say, before a fault spoils it."""

    def __init__(self, status=200, body=b"", content_type=None, fields=(), filler=b" "):
        self.status = status
        self.body = body.encode() if isinstance(body, str) else body
        self.fields = list(fields)
        if content_type is not None:
            self.fields.insert(0, ("Content-Type", content_type))
        # What a body that never ends goes on with.
        self.filler = filler
        self.framing = None

    @staticmethod
    def json(value, status=200, content_type="application/json; charset=utf-8", fields=()):
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return Answer(status, text, content_type, fields)

    def field(self, name):
        return next((value for each, value in self.fields if each.lower() == name.lower()), None)

    def replace(self, name, value):
        """Sets a field, or takes it away if the value is None."""
        self.fields = [each for each in self.fields if each[0].lower() != name.lower()]
        if value is not None:
            self.fields.append((name, value))

    @property
    def has_body(self):
        return self.status >= 200 and self.status not in (204, 304)

    def compress(self):
        self.body = gzip.compress(self.body, mtime=0)
        self.replace("Content-Encoding", "gzip")
        self.replace("Vary", "Accept-Encoding")

    def head(self, extra=()):
        try:
            reason = HTTPStatus(self.status).phrase
        except ValueError:
            reason = "Unknown"
        lines = [f"HTTP/1.1 {self.status} {reason}", f"Date: {http_date()}"]
        lines += [f"{name}: {value}" for name, value in [*self.fields, *extra]]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8")


class Connection:
    """A client's connection, with or without TLS."""

    def __init__(self, sock, listener):
        self.sock = sock
        self.listener = listener
        self.buffer = b""
        self.writing = threading.Lock()

    def read_request(self):
        """The next request; None when the client has gone or speaks no HTTP."""
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
        """Sends it as the `wire` switches have it; whether the connection can be used again."""
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
        """Ends it in order: what was sent arrives, and TLS says goodbye."""
        try:
            if isinstance(self.sock, ssl.SSLSocket):
                self.sock.settimeout(1)
                self.sock = self.sock.unwrap()
            self.sock.shutdown(socket.SHUT_RDWR)
        except (OSError, ValueError):
            pass
        self.discard()

    def reset(self):
        """Ends it by an RST."""
        try:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass
        self.discard()

    def cut(self):
        """Ends it from another thread, whatever its own thread waits for."""
        try:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            # On the bare socket: that of TLS forgets its session when it is shut down.
            socket.socket.shutdown(self.sock, socket.SHUT_RDWR)
        except OSError:
            pass

    def discard(self):
        try:
            self.sock.close()
        except OSError:
            pass

    def wait_until_gone(self):
        """Reads and throws away until the client closes."""
        self.sock.settimeout(None)
        while self.sock.recv(65536):
            pass


def asks_to_keep(request):
    return (request.field("connection") or "").lower() != "close"


def pieces_of(body, size):
    """The body in pieces of so many bytes, which split characters too; 0: in one."""
    if size <= 0:
        return [body] if body else []
    return [body[start:start + size] for start in range(0, len(body), size)]


def http_date(moment=None):
    """The time, in seconds since 1970, as RFC 9110 section 5.6.7 writes it."""
    return formatdate(moment, usegmt=True)
