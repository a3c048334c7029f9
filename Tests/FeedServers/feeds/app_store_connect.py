"""The App Store Connect API (`app-store-connect`): builds, versions, phased releases, groups."""

import json
import time

from .connect_access import AccessRefused, check_token
from .connect_query import BadParameter, Documents, Query
from .connect_resources import Graph, as_list
from .keys import PublicKey
from .messages import Answer
from .protocol import Protocol
from .webhook import Webhook, signature

TITLES = {
    400: ("PARAMETER_ERROR.INVALID", "A parameter has an invalid value"),
    401: ("NOT_AUTHORIZED", "Authentication credentials are missing or invalid."),
    403: ("FORBIDDEN_ERROR", "This request is forbidden for security reasons"),
    404: ("NOT_FOUND", "The specified resource does not exist"),
    409: ("ENTITY_ERROR", "There is a problem with the request entity"),
    429: ("RATE_LIMIT_EXCEEDED", "The request rate limit has been reached."),
    500: ("UNEXPECTED_ERROR", "An unexpected error occurred."),
}
# The filters, sort orders and includes of each collection, by its path.
COLLECTIONS = {
    "apps": (("id", "bundleId", "name", "sku"), ("bundleId", "name"), ()),
    "builds": (
        ("id", "app", "version", "expired", "processingState", "buildAudienceType", "betaGroups",
         "preReleaseVersion", "preReleaseVersion.version", "preReleaseVersion.platform",
         "appStoreVersion", "betaAppReviewSubmission.betaReviewState", "usesNonExemptEncryption"),
        ("version", "uploadedDate", "preReleaseVersion"),
        ("app", "preReleaseVersion", "buildBetaDetail", "appStoreVersion", "betaGroups",
         "betaAppReviewSubmission", "betaBuildLocalizations")),
    "betaBuildLocalizations": (("id", "build", "locale"), (), ("build",)),
    "preReleaseVersions": (
        ("app", "version", "platform", "builds"), ("version",), ("app", "builds")),
    "betaGroups": (
        ("id", "app", "name", "isInternalGroup", "builds"), ("name",), ("app", "builds")),
    "betaAppReviewSubmissions": (("build", "betaReviewState"), (), ("build",)),
    "buildBetaDetails": (("id", "build"), (), ("build",)),
    "appStoreVersions": (
        ("id", "platform", "versionString", "appStoreState", "appVersionState"), (),
        ("app", "build", "appStoreVersionPhasedRelease")),
    "appStoreVersionPhasedReleases": ((), (), ()),
}
# The kinds without a top-level collection, which are available only below an app or by ID.
ONLY_BELOW = ("appStoreVersions", "appStoreVersionPhasedReleases")
# The required filters, by collection.
REQUIRED = {"betaAppReviewSubmissions": "build"}


class AppStoreConnect(Protocol):
    """`apps`, `builds`, `betaGroups`, `appStoreVersions`: flat lists; see the README."""

    defaults = {
        "issuer": "57246542-96fe-1a63-e053-0824d011072a",
        "keys": [],
        "verify": True,
        "role": "enough",
        "apps": [],
        "builds": [],
        "betaGroups": [],
        "appStoreVersions": [],
        "states": "both",
        "relationshipData": "included-only",
        "absentRelation": "null",
        "pageSize": None,
        "pagingTotal": True,
        "nextCursor": True,
        "nextHost": "same",
        "platformFilter": "honored",
        "rateLimit": {"hour": 3500, "minute": 150, "header": "hour"},
        "webhook": {"url": None, "secret": "secret", "form": "prefixed", "authority": None},
    }
    choices = {
        "role": ("enough", "forbidden"),
        "states": ("both", "old", "new"),
        "relationshipData": ("included-only", "always"),
        "absentRelation": ("null", "404"),
        "nextHost": ("same", "other"),
        "platformFilter": ("honored", "ignored"),
        "rateLimit.header": ("hour", "both", "absent"),
        "webhook.form": ("prefixed", "bare", "wrong", "absent"),
    }

    def __init__(self, server):
        super().__init__(server)
        self.used = []
        self.graph = Graph(self.state)
        self.webhook = Webhook()

    def check(self, state):
        for key in state["keys"]:
            PublicKey.from_pem(key["publicKey"])
        graph = Graph(state)
        for kind in graph.resources.values():
            for resource in kind.values():
                for related in resource.related.values():
                    missing = [each for each in as_list(related) if graph.get(each) is None]
                    if missing:
                        raise ValueError(f"{resource.key} belongs to {missing[0]}, which is not")

    def changed(self, old):
        self.graph = Graph(self.state)
        if self.state["rateLimit"] != old["rateLimit"]:
            self.used = []

    # Requests

    def answer(self, request):
        with self.lock:
            is_over = self.count_request()
            answer = self.refusal(429, request) if is_over else self.checked_answer(request)
            self.add_rate(answer)
        return answer

    def checked_answer(self, request):
        try:
            check_token(request, self.state)
        except AccessRefused:
            return self.refusal(401, request)
        if self.state["role"] == "forbidden":
            return self.refusal(403, request)
        if request.method != "GET":
            return self.error(405, "METHOD_NOT_ALLOWED", "The request method is not allowed")
        try:
            document = self.document(request, Documents(self.graph, self.origin(request),
                                                        self.state))
        except BadParameter as problem:
            return self.error(
                400, problem.code, TITLES[400][1], str(problem), {"parameter": problem.parameter})
        return Answer.json(document, content_type="application/json") if document else \
            self.refusal(404, request)

    def document(self, request, documents):
        """Returns the document at a path, or None."""
        parts = request.path.strip("/").split("/")
        if parts[0] != "v1" or not 2 <= len(parts) <= 4 or parts[1] not in COLLECTIONS:
            return None
        kind = parts[1]
        if len(parts) == 2:
            return None if kind in ONLY_BELOW else self.collection(
                kind, self.graph.resources[kind].values(), request, documents)
        resource = self.graph.get((kind, parts[2]))
        if resource is None:
            return None
        if len(parts) == 3:
            includes = COLLECTIONS[kind][2]
            return documents.one(resource, Query(request, includes=includes))
        return self.related(resource, parts[3], request, documents)

    def collection(self, kind, resources, request, documents, is_plain=False):
        filters, sorts, includes = ((), (), ()) if is_plain else COLLECTIONS[kind]
        query = Query(request, filters, sorts, includes, is_plain)
        if self.state["platformFilter"] == "ignored":
            query.filters = [each for each in query.filters if not each[0].endswith("platform")]
        required = REQUIRED.get(kind)
        if required and not is_plain and required not in dict(query.filters):
            raise BadParameter(
                "PARAMETER_ERROR.REQUIRED", f"filter[{required}]",
                f"The parameter 'filter[{required}]' is required")
        other = self.server.other.origin
        origin = other if self.state["nextHost"] == "other" else documents.origin
        return documents.page(query.matching(self.graph, list(resources)), query, origin)

    def related(self, resource, name, request, documents):
        if resource.kind == "apps" and name in (
                "builds", "appStoreVersions", "betaGroups", "preReleaseVersions"):
            owned = [each for each in self.graph.resources[name].values()
                     if each.related["app"] == resource.key]
            # Here, only the versions among the related collections accept filters.
            return self.collection(name, owned, request, documents, name != "appStoreVersions")
        if name not in resource.related:
            return None
        found = resource.related[name]
        if isinstance(found, list):
            owned = [self.graph.get(key) for key in found]
            return self.collection(found[0][0] if found else name, owned, request, documents, True)
        if found is None and self.state["absentRelation"] == "404":
            return None
        return documents.one(found and self.graph.get(found), Query(request))

    @staticmethod
    def origin(request):
        scheme = "https" if request.listener.context else "http"
        return f"{scheme}://{request.field('host') or 'localhost'}"

    # Rates

    def count_request(self):
        """Counts a request, and returns whether it exceeds the limit."""
        now = time.monotonic()
        self.used = [each for each in self.used if each > now - 3600] + [now]
        limits = self.state["rateLimit"]
        return len(self.used) > limits["hour"] or self.used_in(60) > limits["minute"]

    def used_in(self, seconds):
        now = time.monotonic()
        return len([each for each in self.used if each > now - seconds])

    def add_rate(self, answer):
        limits = self.state["rateLimit"]
        value = ""
        if limits["header"] == "both":
            left = max(0, limits["minute"] - self.used_in(60))
            value = f"user-minute-lim:{limits['minute']};user-minute-rem:{left};"
        if limits["header"] != "absent":
            left = max(0, limits["hour"] - len(self.used))
            value += f"user-hour-lim:{limits['hour']};user-hour-rem:{left};"
            answer.fields.append(("X-Rate-Limit", value))

    # Errors

    def refusal(self, status, request):
        code, title = TITLES.get(status, ("UNEXPECTED_ERROR", "An unexpected error occurred."))
        return self.error(status, code, title)

    @staticmethod
    def error(status, code, title, detail=None, source=None):
        error = {
            "id": "8f0d5b6e-0000-4000-8000-000000000000", "status": str(status), "code": code,
            "title": title, "detail": detail or title,
        }
        if source:
            error["source"] = source
        return Answer.json({"errors": [error]}, status, "application/json")

    # Actions

    def send(self, given):
        """Posts a webhook with `eventType`, `id` and `attributes`, or an arbitrary `body`."""
        switches = self.state["webhook"]
        body = given.get("body") or json.dumps({"data": {
            "type": camel_case(given.get("eventType", "BUILD_UPLOAD_STATE_UPDATED")),
            "id": given.get("id", "e1"),
            "version": 1,
            "attributes": {"timestamp": "2026-09-01T10:09:30.123456789Z",
                           **given.get("attributes", {})},
        }})
        right = signature(switches["secret"], body.encode())
        value = {
            "prefixed": "hmacsha256=" + right, "bare": right, "absent": None,
            "wrong": "hmacsha256=" + signature(switches["secret"] + "?", body.encode()),
        }[switches["form"]]
        headers = {"Content-Type": "application/json"}
        if value is not None:
            headers["X-Apple-SIGNATURE"] = value
        return self.webhook.post(
            switches["url"], body.encode(), headers, switches["authority"])

    actions = {"send": send}


def camel_case(event_type):
    """Returns the name that an event type has in a webhook, such as `buildUploadStateUpdated` for
    `BUILD_UPLOAD_STATE_UPDATED`.
    """
    first, *rest = event_type.lower().split("_")
    return first + "".join(word.capitalize() for word in rest)
