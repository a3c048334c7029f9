"""microCMS (`microcms`): objects and lists that need a key, and webhooks."""

import hashlib
import json
import time

from .messages import Answer
from .microcms_content import BadQuery, listing, selected, stamp, without_empty
from .protocol import Protocol
from .webhook import Webhook, signature

MESSAGES = {
    400: "Bad request.",
    401: "X-MICROCMS-API-KEY header is invalid.",
    404: "Content is not exists.",
    429: "Too many requests, please try again later.",
}
REFUSALS = {
    "ip": "IP address rejected.",
    "plan": "API is stopped for exceeding the limit. Please upgrade your plan.",
}


class MicroCMS(Protocol):
    """`endpoints` has an object (`content`) or a list (`contents`) with its status, by name."""

    defaults = {
        "service": "example",
        "keys": ["test-key"],
        "keysWithoutGet": [],
        "legacyHeader": True,
        "endpoints": {},
        "emptyFields": "missing",
        "objectId": False,
        "etag": "none",
        "refuses": None,
        "errorBody": "message",
        "edge": False,
        "allowance": None,
        "webhook": {
            "url": None, "secret": None, "headers": {}, "authority": None, "automatic": True,
            "objectId": True,
        },
    }
    choices = {
        "emptyFields": ("missing", "null"),
        "etag": ("none", "strong", "weak"),
        "refuses": (None, "ip", "plan"),
        "errorBody": ("message", "empty"),
    }
    ENDPOINT_KEYS = {"content", "contents", "status", "draft", "draftKey"}

    def __init__(self, server):
        super().__init__(server)
        self.stamps = {}
        self.edge = {}
        self.recent = []
        self.webhook = Webhook()

    def check(self, state):
        for name, endpoint in state["endpoints"].items():
            if set(endpoint) - self.ENDPOINT_KEYS or ("content" in endpoint) == (
                    "contents" in endpoint):
                raise ValueError(f"endpoint {name} has either content or contents")

    def changed(self, old):
        names = {*old["endpoints"], *self.state["endpoints"]}
        for name in sorted(names):
            before, after = old["endpoints"].get(name), self.state["endpoints"].get(name)
            if before == after:
                continue
            now = stamp(time.time())
            created = self.stamps.get(name, {}).get("createdAt", now) if before else now
            self.stamps[name] = {
                "createdAt": created, "updatedAt": now, "publishedAt": created, "revisedAt": now,
            }
            # A change to the content purges the CDN's cache.
            self.edge = {}
            if self.state["webhook"]["url"] and self.state["webhook"]["automatic"]:
                self.webhook.post_later(*self.delivery(self.event(name, before, after)))

    # Reading

    def answer(self, request):
        with self.lock:
            answer = self.answer_within(request)
        answer.fields.append(("x-current-date-time", stamp(time.time())))
        return answer

    def answer_within(self, request):
        state = self.state
        key = request.field("x-microcms-api-key")
        if key is None and state["legacyHeader"]:
            key = request.field("x-api-key")
        edge_key = (request.target, key)
        if state["edge"] and edge_key in self.edge:
            return self.with_cache_field(self.edge[edge_key], request, "Hit from cloudfront")
        if self.is_over_the_limit():
            return self.refusal(429, request)
        if state["refuses"] is not None:
            return self.error(400, REFUSALS[state["refuses"]])
        if key in state["keysWithoutGet"]:
            return self.error(400, "GET is forbidden.")
        if key not in state["keys"]:
            return self.refusal(401, request)
        if request.method != "GET":
            return self.error(400, f"{request.method} is forbidden.")
        try:
            value = self.find(request)
        except BadQuery as problem:
            return self.error(400, str(problem))
        if value is None:
            return self.refusal(404, request)
        if state["edge"]:
            self.edge[edge_key] = value
        return self.with_cache_field(value, request, "Miss from cloudfront")

    def with_cache_field(self, value, request, cache):
        answer = Answer.json(value)
        answer.fields.append(("x-cache", cache))
        if self.state["etag"] != "none":
            tag = f'"{hashlib.sha256(answer.body).hexdigest()[:16]}"'
            tag = "W/" + tag if self.state["etag"] == "weak" else tag
            answer.fields.append(("ETag", tag))
            if request.field("if-none-match") == tag:
                answer.status, answer.body = 304, b""
        return answer

    def is_over_the_limit(self):
        if self.state["allowance"] is None:
            return False
        now = time.monotonic()
        self.recent = [each for each in self.recent if each > now - 1] + [now]
        return len(self.recent) > self.state["allowance"]

    def find(self, request):
        """Returns the JSON for a path, or None if nothing is visible for the request."""
        parts = request.path.strip("/").split("/")
        if parts[:2] != ["api", "v1"] or len(parts) not in (3, 4):
            return None
        name, endpoint = parts[2], self.state["endpoints"].get(parts[2])
        if endpoint is None:
            return None
        depth = request.parameter("depth") or "1"
        if depth not in ("0", "1", "2", "3"):
            raise BadQuery("depth must be between 0 and 3.")
        if "content" in endpoint:
            return self.find_object(name, endpoint, request) if len(parts) == 3 else None
        if len(parts) == 3:
            values = [
                self.shown({"id": each["id"], **self.stamps[name], **without_status(each)})
                for each in endpoint["contents"] if each.get("status", "PUBLISH") == "PUBLISH"
            ]
            return listing(values, request)
        found = [each for each in endpoint["contents"] if each["id"] == parts[3]]
        return self.find_object(name, {**endpoint, **content_of(found[0])}, request, True) \
            if found else None

    def find_object(self, name, endpoint, request, has_id=False):
        content = endpoint["content"] if endpoint.get("status", "PUBLISH") == "PUBLISH" else None
        draft_key = request.parameter("draftKey")
        if draft_key and draft_key == endpoint.get("draftKey"):
            content = endpoint.get("draft", content)
        if content is None:
            return None
        identity = {"id": name} if self.state["objectId"] and not has_id else {}
        value = self.shown({**identity, **self.stamps[name], **content})
        return selected(value, request.parameter("fields"))

    def shown(self, value):
        return without_empty(value, self.state["emptyFields"] == "null")

    # Refusing

    def refusal(self, status, request):
        answer = self.error(status, MESSAGES.get(status, "Internal Server Error"))
        if status == 429:
            allowance = self.state["allowance"] or 60
            answer.fields += [
                ("X-RateLimit-Limit", str(allowance)), ("X-RateLimit-Remaining", "0"),
                ("X-RateLimit-Reset", str(int(time.time()) + 1)),
            ]
        return answer

    def error(self, status, message):
        if self.state["errorBody"] == "empty":
            return Answer(status)
        return Answer.json({"message": message}, status=status)

    # Webhooks

    def event(self, name, before, after):
        kind = "new" if before is None else "delete" if after is None else "edit"
        has_id = self.state["webhook"]["objectId"]
        return {
            "service": self.state["service"], "api": name, "id": name if has_id else None,
            "type": kind,
            "contents": {"old": self.side(name, before), "new": self.side(name, after)},
        }

    def side(self, name, endpoint):
        if endpoint is None:
            return None
        value = endpoint.get("content", endpoint.get("contents"))
        is_published = endpoint.get("status", "PUBLISH") == "PUBLISH"
        return {
            "id": name, "status": [endpoint.get("status", "PUBLISH")],
            "draftKey": endpoint.get("draftKey"),
            "publishValue": value if is_published else None,
            "draftValue": endpoint.get("draft"),
        }

    def delivery(self, event, form="valid"):
        """Returns the delivery for an event. `form` is `valid`, or a kind of invalid signature."""
        switches = self.state["webhook"]
        body = event.encode() if isinstance(event, str) else json.dumps(
            event, ensure_ascii=False, separators=(",", ":")).encode()
        headers = {"Content-Type": "application/json", **switches["headers"]}
        if switches["secret"] is not None and form != "absent":
            right = signature(switches["secret"], body)
            headers["x-microcms-signature"] = {
                "valid": right,
                "wrong": signature(switches["secret"] + "?", body),
                "upper-case": right.upper(),
                "prefixed": "sha256=" + right,
                "cut": right[:32],
                "empty": "",
            }[form]
        return switches["url"], body, headers, switches["authority"]

    def send(self, given):
        """Posts a webhook now, with `api`, `type` and `signature`, or an arbitrary `body`."""
        event = given.get("body") or {
            **self.event(given.get("api"), None, None), "type": given.get("type", "edit"),
            "id": None, "contents": None,
        }
        return self.webhook.post(*self.delivery(event, given.get("signature", "valid")))

    def deliveries(self, _):
        with self.webhook.lock:
            return list(self.webhook.deliveries)

    actions = {"send": send, "deliveries": deliveries}


def without_status(content):
    return {key: value for key, value in content.items() if key not in ("status", "draftKey")}


def content_of(entry):
    """Returns an entry of a list in the format of an object's endpoint."""
    return {
        "content": without_status(entry),
        **{key: entry[key] for key in ("status", "draftKey") if key in entry},
    }
