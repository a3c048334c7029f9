"""Requests as they came, and answers as a server means them before a fault spoils them."""

import base64
import gzip
import json
from email.utils import formatdate
from http import HTTPStatus
from urllib.parse import parse_qsl, unquote, urlsplit


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
        # The bytes that a body without an end goes on with.
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


def http_date(moment=None):
    """The time, in seconds since 1970, as RFC 9110 section 5.6.7 writes it."""
    return formatdate(moment, usegmt=True)
