"""Received requests, and responses before a fault changes them."""

import base64
import gzip
import json
from email.utils import formatdate
from http import HTTPStatus
from urllib.parse import parse_qsl, unquote, urlsplit


class Request:
    """A received request. The names of its fields are in lower case."""

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
        """Returns all values of a field, joined as in RFC 9110 section 5.3, or None."""
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
        """Returns the log entry of the request."""
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
    """A valid response, before a fault changes it."""

    def __init__(self, status=200, body=b"", content_type=None, fields=(), filler=b" "):
        self.status = status
        self.body = body.encode() if isinstance(body, str) else body
        self.fields = list(fields)
        if content_type is not None:
            self.fields.insert(0, ("Content-Type", content_type))
        # The bytes that continue an endless body.
        self.filler = filler
        self.framing = None

    @staticmethod
    def json(value, status=200, content_type="application/json; charset=utf-8", fields=()):
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return Answer(status, text, content_type, fields)

    def field(self, name):
        return next((value for each, value in self.fields if each.lower() == name.lower()), None)

    def replace(self, name, value):
        """Sets a field, or removes it if the value is None."""
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
    """Returns a time in seconds since 1970 in the format of RFC 9110 section 5.6.7."""
    return formatdate(moment, usegmt=True)
