"""The Google Play Developer API (`google-play`): the releases of an app's tracks."""

import secrets
import time

from .google import OAUTH, TokenEndpoint, access_refusal, google_error
from .messages import Answer
from .protocol import Protocol

SCOPES = ["https://www.googleapis.com/auth/androidpublisher"]
STATUSES = {"draft", "inProgress", "halted", "completed", "statusUnspecified"}
RELEASE_KEYS = {
    "name", "versionCodes", "status", "userFraction", "inAppUpdatePriority", "countryTargeting",
    "releaseNotes", "releaseLifecycleState",
}
LARGEST_LISTING = 20
START = "/androidpublisher/v3/applications/"


class GooglePlay(Protocol):
    """`apps` has each package's tracks by name, each with a list of releases in the API's format.
    """

    defaults = {
        "apps": {},
        "oauth": OAUTH,
        "invited": True,
        "listing": True,
        "editLifetime": 3600,
        "editsInvalidate": True,
        "emptyTracks": "shown",
    }
    choices = {"emptyTracks": ("shown", "left-out")}

    def __init__(self, server):
        super().__init__(server)
        self.tokens = TokenEndpoint(self)
        self.edits = {}

    def check(self, state):
        self.tokens.check(state["oauth"])
        for package, tracks in state["apps"].items():
            for track, releases in tracks.items():
                for release in releases:
                    check_release(release, f"{package}/{track}")

    def answer(self, request):
        if request.raw_path == self.state["oauth"]["path"]:
            return self.tokens.answer(request)
        problem = self.tokens.problem_with(request.bearer, SCOPES)
        if problem is not None:
            return access_refusal(problem)
        if not request.path.startswith(START):
            return google_error(404)
        if not self.state["invited"]:
            return google_error(403, "The caller does not have permission")
        package, *parts = request.path[len(START):].split("/")
        tracks = self.state["apps"].get(package)
        if tracks is None:
            return google_error(404, f"Package not found: {package}.")
        with self.lock:
            return self.route(request.method, package, tracks, parts) or google_error(404)

    def route(self, method, package, tracks, parts):
        if method == "GET" and parts[:1] == ["tracks"] and parts[2:] == ["releases"]:
            return self.releases(tracks, parts[1])
        if parts[:1] != ["edits"]:
            return None
        if method == "POST" and len(parts) == 1:
            return self.insert_edit(package)
        edit = self.edits.get(parts[1]) if len(parts) > 1 else None
        if edit is None or edit["package"] != package or edit["expiry"] < time.time():
            return google_error(400, "This Edit has expired or has been deleted.")
        return self.within_edit(method, parts[1], edit, tracks, parts[2:])

    def within_edit(self, method, number, edit, tracks, parts):
        if method == "DELETE" and not parts:
            del self.edits[number]
            return Answer(204)
        if method == "GET" and not parts:
            return Answer.json(self.shown_edit(number, edit))
        if method == "GET" and parts == ["tracks"]:
            shown = [self.shown_track(track, tracks[track]) for track in tracks
                     if tracks[track] or self.state["emptyTracks"] == "shown"]
            return Answer.json({"kind": "androidpublisher#tracksListResponse", "tracks": shown})
        if method == "GET" and parts[:1] == ["tracks"] and len(parts) == 2:
            if parts[1] not in tracks:
                return google_error(404, f"Track not found: {parts[1]}.")
            return Answer.json(self.shown_track(parts[1], tracks[parts[1]]))
        return None

    def insert_edit(self, package):
        if self.state["editsInvalidate"]:
            self.edits = {
                key: edit for key, edit in self.edits.items() if edit["package"] != package}
        number = str(secrets.randbelow(10**20))
        self.edits[number] = {
            "package": package, "expiry": time.time() + self.state["editLifetime"]}
        return Answer.json(self.shown_edit(number, self.edits[number]))

    @staticmethod
    def shown_edit(number, edit):
        return {"id": number, "expiryTimeSeconds": str(int(edit["expiry"]))}

    @staticmethod
    def shown_track(track, releases):
        shown = [
            {key: value for key, value in release.items() if key != "releaseLifecycleState"}
            for release in releases
        ]
        return {"track": track, **({"releases": shown} if shown else {})}

    def releases(self, tracks, track):
        """Returns the listing that needs no edit."""
        if not self.state["listing"]:
            return google_error(404)
        if track not in tracks:
            return google_error(404, f"Track not found: {track}.")
        shown = [{
            "releaseName": release.get("name", ""),
            "track": track,
            "releaseLifecycleState": lifecycle(release),
            "activeArtifacts": [
                {"versionCode": int(code)} for code in release.get("versionCodes", [])],
        } for release in tracks[track][:LARGEST_LISTING]]
        return Answer.json({"releases": shown} if shown else {})

    def refusal(self, status, request):
        return google_error(status)

    def expire(self, _):
        """Expires every access token."""
        self.tokens.expire()

    def open_edits(self, _):
        """Returns the edits that have not been deleted."""
        return {"edits": list(self.edits)}

    actions = {"expire": expire, "edits": open_edits}


def check_release(release, place):
    if set(release) - RELEASE_KEYS or release.get("status") not in STATUSES:
        raise ValueError(f"{place}: a release has a status and {', '.join(sorted(RELEASE_KEYS))}")
    if not all(isinstance(code, str) for code in release.get("versionCodes", [])):
        raise ValueError(f"{place}: version codes are texts here, as int64 in JSON is")
    partial = release["status"] in ("inProgress", "halted")
    if "userFraction" in release and not (partial and 0 < release["userFraction"] < 1):
        raise ValueError(f"{place}: a fraction between 0 and 1, of inProgress or halted")


def lifecycle(release):
    """Returns the lifecycle state. A rollout counts as published, even when it is halted, because
    it can be resumed.
    """
    usual = "DRAFT" if release["status"] == "draft" else "PUBLISHED"
    return release.get("releaseLifecycleState", "RELEASE_LIFECYCLE_STATE_" + usual)
