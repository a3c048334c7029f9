"""Files over HTTPS, as on any web server (`https`)."""

import base64
import hashlib
import time

from .messages import Answer, http_date
from .protocol import Protocol


class FileServer(Protocol):
    """`files` has an object with the keys in FILE_KEYS for each path."""

    defaults = {
        "files": {},
        "redirects": {},
        "etag": "strong",
        "lastModified": True,
        "conditional": "304",
        "etagOnNotModified": True,
        "gzipEtag": "same",
        "cacheControl": None,
        "requires": None,
        "denial": 401,
    }
    choices = {
        "etag": ("strong", "weak", "none"),
        "conditional": ("304", "ignored"),
        "gzipEtag": ("same", "weak", "suffix"),
        "denial": (401, 403, 404),
    }
    FILE_KEYS = {"body", "base64", "contentType", "etag", "modified", "headers"}

    def __init__(self, server):
        super().__init__(server)
        self.modified = {}

    def check(self, state):
        for path, file in state["files"].items():
            unknown = set(file) - self.FILE_KEYS
            if not path.startswith("/") or unknown:
                raise ValueError(f"files.{path} has {', '.join(unknown) or 'no / at its start'}")

    def changed(self, old):
        for path, file in self.state["files"].items():
            if old["files"].get(path) != file:
                self.modified[path] = time.time()

    def answer(self, request):
        state = self.state
        if request.raw_path in state["redirects"]:
            redirect = state["redirects"][request.raw_path]
            return Answer(redirect.get("status", 302), fields=[("Location", redirect["to"])])
        if not self.is_allowed(request):
            return self.refusal(state["denial"], request)
        file = state["files"].get(request.raw_path)
        if file is None:
            return self.refusal(404, request)
        if request.method not in ("GET", "HEAD"):
            return self.refusal(405, request)
        return self.give(file, request)

    def is_allowed(self, request):
        """Returns whether the request has the required header fields."""
        required = self.state["requires"] or {}
        return all(request.field(name.lower()) == value for name, value in required.items())

    def give(self, file, request):
        body = base64.b64decode(file["base64"]) if "base64" in file else file["body"].encode()
        answer = Answer(200, body, file.get("contentType", self.usual_type(request.raw_path)))
        etag = self.etag_for(file, body, request)
        modified = int(file.get("modified", self.modified.get(request.raw_path, 0)))
        if etag is not None:
            answer.fields.append(("ETag", etag))
        if self.state["lastModified"]:
            answer.fields.append(("Last-Modified", http_date(modified)))
        if self.state["cacheControl"] is not None:
            answer.fields.append(("Cache-Control", self.state["cacheControl"]))
        answer.fields += list(file.get("headers", {}).items())
        if self.is_unmodified(request, etag, modified):
            answer.status, answer.body = 304, b""
            answer.replace("Content-Type", None)
            if not self.state["etagOnNotModified"]:
                answer.replace("ETag", None)
        return answer

    def etag_for(self, file, body, request):
        if "etag" in file:
            return file["etag"]
        if self.state["etag"] == "none":
            return None
        tag = hashlib.sha256(body).hexdigest()[:20]
        packed = request.accepts_gzip and self.state["wire"]["gzip"] != "never"
        form = self.state["gzipEtag"] if packed else "same"
        if form == "suffix":
            tag += "-gzip"
        is_weak = self.state["etag"] == "weak" or form == "weak"
        return f'W/"{tag}"' if is_weak else f'"{tag}"'

    def is_unmodified(self, request, etag, modified):
        """Evaluates the conditions by RFC 9110 section 13.2.2: If-None-Match, compared weakly, has
        priority over the date.
        """
        if self.state["conditional"] == "ignored":
            return False
        wanted = request.field("if-none-match")
        if wanted is not None:
            tags = [tag.strip() for tag in wanted.split(",")]
            return etag is not None and (
                "*" in tags or opaque(etag) in [opaque(tag) for tag in tags])
        since = request.field("if-modified-since")
        return since is not None and self.state["lastModified"] and since == http_date(modified)

    @staticmethod
    def usual_type(path):
        types = {".json": "application/json", ".yaml": "application/yaml", ".yml": "text/yaml"}
        return next((types[end] for end in types if path.endswith(end)), "application/octet-stream")

    def refusal(self, status, request):
        page = f"<html><body><h1>{status}</h1></body></html>"
        answer = Answer(status, page, "text/html")
        if status == 401:
            answer.fields.append(("WWW-Authenticate", 'Basic realm="files"'))
        return answer


def opaque(tag):
    return tag[2:] if tag.startswith("W/") else tag
