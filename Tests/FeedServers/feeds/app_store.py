"""The App Store lookup (`app-store`): versions by storefront, behind a caching CDN."""

import copy
import json
import time

from .messages import Answer
from .protocol import Protocol

ENTITIES = {
    "macSoftware": "mac", "desktopSoftware": "mac", "tvSoftware": "tv", "software": "phone",
    "iPadSoftware": "phone",
}
KNOWN_PARAMETERS = {"id", "bundleId", "country", "lang", "entity", "limit", "media", "version"}


class AppStore(Protocol):
    """`apps`: objects with `trackId`, `bundleId`, `storefronts` by country, and the shared members.

    Several objects with one `trackId` are an app's records for several platforms.
    """

    defaults = {
        "apps": [],
        "contentType": "text/javascript; charset=utf-8",
        "leadingLines": 3,
        "staleness": "none",
        "cacheSeconds": 86400,
        "cacheKey": "all-parameters",
        "allowance": None,
        "period": 60,
        "throttle": "403-empty",
        "unknownCountry": "400",
        "entity": "by-number",
    }
    choices = {
        "staleness": ("none", "cached", "flapping", "bundle-id-lags"),
        "cacheKey": ("all-parameters", "known-parameters"),
        "throttle": ("403-empty", "429", "403-html", "200-empty"),
        "unknownCountry": ("400", "empty"),
        "entity": ("by-number", "honored", "ignored", "all-records"),
    }

    def __init__(self, server):
        super().__init__(server)
        self.earlier = []
        self.cache = {}
        self.lookups = 0
        self.recent = []

    def check(self, state):
        for app in state["apps"]:
            if not isinstance(app.get("trackId"), int) or not isinstance(app.get("bundleId"), str):
                raise ValueError("an app has a number trackId and a text bundleId")
            for country, facts in app["storefronts"].items():
                if len(country) != 2 or "version" not in facts:
                    raise ValueError(f"storefront {country} of {app['bundleId']} has no version")

    def changed(self, old):
        if self.state["apps"] != old["apps"]:
            self.earlier = old["apps"]
        if self.state["staleness"] != old["staleness"]:
            self.cache = {}

    def purge(self, _):
        """Empties the CDN's cache."""
        with self.lock:
            self.cache = {}

    actions = {"purge": purge}

    def answer(self, request):
        if request.raw_path != "/lookup" or request.method not in ("GET", "POST", "HEAD"):
            return self.refusal(404, request)
        with self.lock:
            self.lookups += 1
            if self.is_throttled():
                return self.throttled()
            return self.look_up(request)

    def is_throttled(self):
        allowance = self.state["allowance"]
        if allowance is None:
            return False
        now = time.monotonic()
        self.recent = [each for each in self.recent if each > now - self.state["period"]] + [now]
        return len(self.recent) > allowance

    def throttled(self):
        form = self.state["throttle"]
        if form == "403-html":
            return Answer(403, "<html><body>Forbidden</body></html>", "text/html")
        status = int(form.split("-")[0])
        return Answer(status, fields=[("Cache-Control", "max-age=0, no-cache, no-store")])

    def look_up(self, request):
        country = (request.parameter("country") or "us").lower()
        if len(country) != 2 or not country.isalpha():
            return self.bad_country()
        staleness = self.state["staleness"]
        if staleness == "cached":
            return self.cached(request, country)
        lags = staleness == "flapping" and self.lookups % 2 == 0
        lags = lags or (staleness == "bundle-id-lags" and request.parameter("bundleId"))
        return self.listing(self.earlier if lags else self.state["apps"], request, country)

    def cached(self, request, country):
        """Returns the cached response to the same URL, even if the store has changed since."""
        query = sorted(request.query)
        if self.state["cacheKey"] == "known-parameters":
            query = [each for each in query if each[0] in KNOWN_PARAMETERS]
        key = (request.raw_path, tuple(query))
        now = time.monotonic()
        expiry, apps = self.cache.get(key, (0, None))
        if now >= expiry:
            expiry, apps = now + self.state["cacheSeconds"], copy.deepcopy(self.state["apps"])
            self.cache[key] = (expiry, apps)
        return self.listing(apps, request, country)

    def listing(self, apps, request, country):
        ids = (request.parameter("id") or "").split(",")
        bundles = (request.parameter("bundleId") or "").split(",")
        records = [
            described(app, country) for app in apps
            if (str(app["trackId"]) in ids or app["bundleId"] in bundles)
            and country in app["storefronts"]
        ]
        found = self.selected(records, request)
        text = json.dumps({"resultCount": len(found), "results": found}, ensure_ascii=False)
        return Answer(
            200, "\n" * self.state["leadingLines"] + text + "\n", self.state["contentType"],
            [("Cache-Control", "no-transform, max-age=57")])

    def selected(self, records, request):
        """Returns one record of each app: the requested entity's if that entity is honored,
        otherwise the iPhone's.
        """
        form = self.state["entity"]
        if form == "all-records":
            return records
        wanted = ENTITIES.get(request.parameter("entity"))
        if form == "ignored" or (form == "by-number" and request.parameter("bundleId")):
            wanted = None
        found = []
        for number in dict.fromkeys(record["trackId"] for record in records):
            own = [record for record in records if record["trackId"] == number]
            if wanted is not None:
                found += [record for record in own if family(record) == wanted][:1]
            else:
                found += sorted(own, key=lambda record: family(record) != "phone")[:1]
        return found

    def bad_country(self):
        if self.state["unknownCountry"] == "empty":
            return Answer.json({"resultCount": 0, "results": []})
        text = "Invalid value(s) for key(s): [country]"
        return Answer.json({"errorMessage": text, "queryParameters": {}}, status=400)

    def refusal(self, status, request):
        return Answer(status, fields=[("Cache-Control", "max-age=0, no-cache, no-store")])


def family(record):
    """Returns the kind of device of a record."""
    if record["kind"] == "mac-software":
        return "mac"
    devices = record.get("supportedDevices", [])
    if devices and all(device.startswith("AppleTV") for device in devices):
        return "tv"
    return "phone"


def described(app, country):
    """Returns a complete store record from the few facts in the state."""
    facts = app["storefronts"][country]
    number = app["trackId"]
    shared = {key: value for key, value in app.items() if key != "storefronts"}
    is_for_mac = shared.get("kind") == "mac-software"
    return {
        "wrapperType": "software",
        "kind": "software",
        "trackName": "Example",
        "trackViewUrl": f"https://apps.apple.com/{country}/app/example/id{number}?uo=4",
        "minimumOsVersion": "15.0",
        "currentVersionReleaseDate": "2026-09-01T07:00:00Z",
        "releaseDate": "2020-03-14T07:00:00Z",
        "fileSizeBytes": "73400320",
        "price": 0.0,
        "formattedPrice": "Free",
        "currency": "USD",
        "sellerName": "Example Inc.",
        "genreIds": ["6024"],
        "contentAdvisoryRating": "4+",
        "supportedDevices": [] if is_for_mac else ["iPhone15-iPhone15"],
        "isVppDeviceBasedLicensingEnabled": True,
        **shared,
        **facts,
    }
