"""Firebase Realtime Database (`firebase-database`): REST reads, writes and streams."""

import base64
import hashlib
import json
from urllib.parse import unquote, urlencode

from . import realtime_tree as tree
from .event_stream import STREAM, STREAM_CHOICES
from .firebase_access import Access
from .google import OAUTH, TokenEndpoint
from .messages import Answer
from .open_streams import OpenStreams
from .protocol import Protocol

FORBIDDEN = set(".#$[]")


class FirebaseDatabase(Protocol):
    """`data` is the whole tree; a change is sent to the streams."""

    defaults = {
        "data": None,
        "namespace": "example-default-rtdb",
        "exists": True,
        "read": "public",
        "write": "authenticated",
        "secrets": ["legacy-secret"],
        "idTokens": [],
        "expired": [],
        "oauth": OAUTH,
        "etag": "when-asked",
        "etagForm": "bare",
        "arrays": "as-firebase",
        "errorBody": "json",
        "redirect": {
            "when": "never", "status": 307, "to": None, "query": "shard", "hops": 1,
        },
        "pushes": "narrow",
        "deepPatch": "as-written",
        "stream": STREAM,
    }
    choices = {
        "read": ("public", "authenticated", "denied"),
        "write": ("public", "authenticated", "denied"),
        "etag": ("when-asked", "always", "never"),
        "etagForm": ("bare", "quoted"),
        "arrays": ("as-firebase", "never"),
        "errorBody": ("json", "html", "empty"),
        "redirect.when": ("never", "streams", "always"),
        "redirect.query": ("shard", "kept", "dropped", "ns"),
        "pushes": ("narrow", "whole", "patch"),
        "deepPatch": ("as-written", "puts", "whole"),
        **STREAM_CHOICES,
    }

    def __init__(self, server):
        super().__init__(server)
        self.tokens = TokenEndpoint(self)
        self.streams = OpenStreams(self)
        self.root = None

    def check(self, state):
        self.tokens.check(state["oauth"])

    def changed(self, old):
        before, self.root = self.root, tree.cleaned(self.state["data"])
        if before != self.root:
            self.streams.tell_change(before)
        self.streams.judge_again()

    # Requests

    def answer(self, request):
        if request.raw_path == self.state["oauth"]["path"]:
            return self.tokens.answer(request)
        if not request.raw_path.endswith(".json"):
            return self.error(404, "404 Not Found")
        path = [unquote(key) for key in tree.split(request.raw_path[:-len(".json")])]
        if not self.state["exists"]:
            return self.error(404, "404 Not Found")
        if any(FORBIDDEN & set(key) for key in path):
            return self.error(400, "Invalid path: Invalid token in path")
        # After a redirect, the parameter alone is sufficient.
        is_stream = "text/event-stream" in (request.field("accept") or "") or (
            request.parameter("sse") == "true")
        onward = self.redirect(request, is_stream)
        if onward is not None:
            return onward
        with self.lock:
            access = Access(request, self.state, self.tokens)
            if access.refusal is not None:
                return self.error(401, access.refusal)
            if request.method in ("GET", "HEAD"):
                return self.read(request, path, access, is_stream)
            return self.write(request, path, access)

    def redirect(self, request, is_stream):
        switches = self.state["redirect"]
        if switches["when"] == "never" or (switches["when"] == "streams" and not is_stream):
            return None
        hop = int(request.parameter("hop", 0 if request.listener.name == "main" else 1))
        if hop >= switches["hops"]:
            return None
        here = request.listener is self.server.main
        origin = switches["to"] or (self.server.other if here else self.server.main).origin
        kept = [each for each in request.query if each[0] not in ("hop", "ns", "sse")]
        namespace = ("ns", self.state["namespace"])
        query = {
            "shard": [*kept, namespace, *([("sse", "true")] if is_stream else [])],
            "kept": kept,
            "dropped": [],
            "ns": [namespace],
        }[switches["query"]]
        if switches["hops"] > 1:
            query.append(("hop", str(hop + 1)))
        location = origin + request.raw_path + ("?" + urlencode(query) if query else "")
        return Answer(switches["status"], fields=[("Location", location)])

    def read(self, request, path, access, is_stream):
        if not access.opens(self.state["read"]):
            return self.error(401, "Permission denied")
        if is_stream:
            return self.streams.open(path, access)
        wants_tag = (request.field("x-firebase-etag") or "").lower() == "true"
        if wants_tag and request.parameter("shallow") == "true":
            return self.error(400, "ETag and shallow cannot be used together")
        node = tree.at(self.root, path)
        tag = self.tag_of(node)
        if request.field("if-none-match") == tag and self.state["etag"] != "never":
            return Answer(304, fields=[("ETag", tag)])
        answer = self.value(node, request)
        if self.sends_tag(request):
            answer.fields.append(("ETag", tag))
        return answer

    def sends_tag(self, request):
        asked = (request.field("x-firebase-etag") or "").lower() == "true"
        return self.state["etag"] == "always" or (
            self.state["etag"] == "when-asked"
            and (asked or request.field("if-none-match") is not None))

    def value(self, node, request, status=200):
        if request.parameter("print") == "silent":
            return Answer(204)
        value = self.shown(node)
        if request.parameter("shallow") == "true" and isinstance(node, dict):
            value = dict.fromkeys(node, True)
        answer = Answer.json(value, status, fields=[
            ("Cache-Control", "no-cache"), ("Access-Control-Allow-Origin", "*"),
            ("Strict-Transport-Security", "max-age=31556926; includeSubDomains; preload"),
        ])
        if request.parameter("print") == "pretty":
            answer.body = json.dumps(value, ensure_ascii=False, indent=2).encode() + b"\n"
        return answer

    def shown(self, node):
        return tree.shown(node, self.state["arrays"] == "as-firebase")

    def tag_of(self, node):
        if node is None:
            tag = "null_etag"
        else:
            text = json.dumps(node, sort_keys=True).encode()
            tag = base64.b64encode(hashlib.sha256(text).digest()[:20]).decode()
        return f'"{tag}"' if self.state["etagForm"] == "quoted" else tag

    def write(self, request, path, access):
        if not access.opens(self.state["write"]):
            return self.error(401, "Permission denied")
        if request.method not in ("PUT", "PATCH", "DELETE"):
            return self.error(405, f"{request.method} is not supported")
        try:
            value = json.loads(request.body) if request.method != "DELETE" else None
        except ValueError:
            return self.error(400, "Invalid data; couldn't parse JSON object.")
        expected = request.field("if-match")
        node = tree.at(self.root, path)
        if expected is not None and expected != self.tag_of(node):
            answer = self.value(node, request, status=412)
            answer.fields.append(("ETag", self.tag_of(node)))
            return answer
        if request.method == "PATCH":
            if not isinstance(value, dict):
                return self.error(400, "Invalid data; patch must be an object.")
            self.patch(path, value)
        else:
            self.put(path, value)
        return self.value(tree.cleaned(value), request)

    def refusal(self, status, request):
        words = {
            401: "Permission denied", 404: "404 Not Found", 429: "Too Many Requests",
            503: "Service Unavailable",
        }
        return self.error(status, words.get(status, "Internal server error."))

    def error(self, status, text):
        if self.state["errorBody"] == "json":
            return Answer.json({"error": text}, status=status)
        if self.state["errorBody"] == "html":
            return Answer(status, f"<html><body>{text}</body></html>", "text/html")
        return Answer(status)

    # Writing

    def put(self, path, value):
        before = self.root
        self.root = tree.with_value(self.root, path, value)
        self.state["data"] = self.root
        self.streams.tell_of_put(path, before)

    def patch(self, path, values):
        before = self.root
        for key, value in values.items():
            self.root = tree.with_value(self.root, path + tree.split(key), value)
        self.state["data"] = self.root
        self.streams.tell_of_patch(path, values, before)

    # Actions

    def write_now(self, given):
        """Writes as another client would: `method` (put, patch), `path`, `data`."""
        act = {"put": self.put, "patch": self.patch}[given.get("method", "put")]
        with self.lock:
            act(tree.split(given["path"]), given["data"])

    def send_event(self, given):
        """Sends an event with any `name` and `data` to every stream, or `raw` bytes."""
        with self.lock:
            if "raw" in given:
                for stream in self.streams.all():
                    stream.put_in(given["raw"].encode())
            else:
                self.streams.tell_all(given["name"], given.get("data"), self.streams.all())
        return self.count(given)

    def revoke(self, given):
        """Expires every access token, and notifies the streams that were opened with a credential.
        """
        with self.lock:
            self.tokens.expire()
            text = given.get("text", "credential is no longer valid")
            concerned = [each for each in self.streams.all() if each.access.has_credential]
            self.streams.tell_all("auth_revoked", text, concerned)
            return {"streams": len(concerned)}

    def stall(self, given):
        """Stops all events on the open streams, including keep-alives."""
        with self.lock:
            for stream in self.streams.all():
                stream.is_stalled = True
                stream.wake()
        return self.count(given)

    def end(self, given):
        """Ends the open streams: `close`, `truncate` or `reset`."""
        with self.lock:
            for stream in self.streams.all():
                stream.end(given.get("how", "close"))
        return self.count(given)

    def count(self, _):
        return {"streams": len(self.streams.all())}

    actions = {
        "write": write_now, "event": send_event, "revoke": revoke, "stall": stall, "end": end,
        "count": count,
    }
