"""Firebase Remote Config (`firebase-remote-config`): templates for a service account."""

import copy
import json
import time
from datetime import datetime, timezone

from .google import OAUTH, TokenEndpoint, access_refusal, google_error
from .messages import Answer
from .protocol import Protocol

SCOPES = [
    "https://www.googleapis.com/auth/firebase.remoteconfig",
    "https://www.googleapis.com/auth/cloud-platform",
]
STORED_VERSIONS = 300
PARTS = {"conditions", "parameters", "parameterGroups", "version"}


class RemoteConfig(Protocol):
    """`template`, `serverTemplate` and `evaluatable` are the contents of the three URLs."""

    defaults = {
        "project": "example",
        "projectNumber": "123456789012",
        "template": None,
        "serverTemplate": None,
        "evaluatable": None,
        "emptyTemplate": "absent-keys",
        "etagWithoutGzip": "absent",
        "conditional": "ignored",
        "versions": True,
        "enabled": True,
        "oauth": OAUTH,
    }
    choices = {
        "emptyTemplate": ("absent-keys", "empty-object", "404"),
        "etagWithoutGzip": ("absent", "wrong", "sent"),
        "conditional": ("ignored", "304"),
    }
    NAMES = ("template", "serverTemplate", "evaluatable")

    def __init__(self, server):
        super().__init__(server)
        self.tokens = TokenEndpoint(self)
        self.history = {name: [] for name in self.NAMES}

    def check(self, state):
        self.tokens.check(state["oauth"])
        for name in self.NAMES:
            template = state[name]
            if template is not None and set(template) - PARTS:
                raise ValueError(f"{name} has only {', '.join(sorted(PARTS))}")

    def changed(self, old):
        for name in self.NAMES:
            if self.state[name] != old[name]:
                self.publish(name, self.state[name], "CONSOLE")

    def publish(self, name, template, origin):
        versions = self.history[name]
        number = versions[-1]["number"] + 1 if versions else 1
        shown = copy.deepcopy(template) or {}
        if template is not None and self.state["versions"]:
            shown["version"] = {**self.version(number, origin), **shown.get("version", {})}
        # A version may be given with the template; numbering then continues from it.
        given = shown.get("version", {}).get("versionNumber")
        entry = {"number": int(given) if given else number, "template": template, "shown": shown}
        self.history[name] = [*versions, entry][-STORED_VERSIONS:]

    @staticmethod
    def version(number, origin):
        now = datetime.fromtimestamp(int(time.time()), timezone.utc)
        return {
            "versionNumber": str(number), "updateTime": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "updateUser": {"email": "admin@example.com"}, "updateOrigin": origin,
            "updateType": "INCREMENTAL_UPDATE",
        }

    def answer(self, request):
        if request.raw_path == self.state["oauth"]["path"]:
            return self.tokens.answer(request)
        problem = self.tokens.problem_with(request.bearer, SCOPES)
        if problem is not None:
            return access_refusal(problem)
        name = self.name_for(request.raw_path)
        if name is None:
            return google_error(404)
        if not self.state["enabled"]:
            return google_error(403, (
                "Firebase Remote Config API has not been used in project "
                f"{self.state['projectNumber']} before or it is disabled."))
        with self.lock:
            if request.method in ("GET", "HEAD"):
                return self.give(name, request)
            if request.method == "PUT" and name != "evaluatable":
                return self.take(name, request)
        return google_error(404)

    def name_for(self, path):
        start = f"/v1/projects/{self.state['project']}/"
        return {
            start + "remoteConfig": "template",
            start + "namespaces/firebase/remoteConfig": "template",
            start + "namespaces/firebase-server/remoteConfig": "serverTemplate",
            start + "namespaces/firebase-server/serverRemoteConfig": "evaluatable",
        }.get(path)

    def entry(self, name, number=None):
        found = [each for each in self.history[name] if number in (None, str(each["number"]))]
        return found[-1] if found else None

    def give(self, name, request):
        number = request.parameter("versionNumber")
        entry = self.entry(name, number)
        if entry is None and number is not None:
            return google_error(404, "Requested entity was not found.")
        if entry is None or entry["template"] is None:
            return self.nothing(request)
        return self.shown(entry["shown"], entry["number"], request)

    def nothing(self, request):
        form = self.state["emptyTemplate"]
        if form == "404":
            return google_error(404, "Requested entity was not found.")
        template = {} if form == "absent-keys" else {
            "conditions": [], "parameters": {}, "parameterGroups": {}}
        return self.shown(template, 0, request)

    def shown(self, template, number, request):
        tag = self.tag(number)
        if self.state["conditional"] == "304" and request.field("if-none-match") == tag:
            return Answer(304, fields=[("ETag", tag)])
        answer = Answer.json(template, content_type="application/json; charset=UTF-8")
        answer.body = json.dumps(template, ensure_ascii=False, indent=2).encode()
        sent = "sent" if request.accepts_gzip else self.state["etagWithoutGzip"]
        if sent != "absent":
            answer.fields.append(("ETag", tag if sent == "sent" else tag + "-gzip"))
        answer.fields.append(("Cache-Control", "private"))
        return answer

    def tag(self, number):
        return f"etag-{self.state['projectNumber']}-{number}"

    def take(self, name, request):
        """Accepts a new template if it is based on the current one."""
        current = self.entry(name)
        tag = self.tag(current["number"] if current else 0)
        expected = request.field("if-match")
        if expected not in ("*", tag):
            status = 400 if expected is None else 409
            return google_error(status, "The ETag of the template is not the current one.")
        try:
            template = json.loads(request.body)
        except ValueError:
            return google_error(400, "Invalid JSON payload received.")
        template = {key: each for key, each in template.items() if key != "version"}
        if request.parameter("validate_only") == "true":
            answer = Answer.json(template)
            answer.fields.append(("ETag", tag.rpartition("-")[0] + "-0"))
            return answer
        self.state[name] = template
        self.publish(name, template, "REST_API")
        entry = self.entry(name)
        return self.shown(entry["shown"], entry["number"], request)

    def refusal(self, status, request):
        return google_error(status)

    def expire(self, _):
        """Expires every access token."""
        self.tokens.expire()

    actions = {"expire": expire}
