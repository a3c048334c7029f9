"""The App Store Connect resources and their relationships."""

ATTRIBUTES = {
    "apps": ("bundleId", "name", "sku", "primaryLocale"),
    "builds": (
        "version", "uploadedDate", "expirationDate", "expired", "minOsVersion",
        "lsMinimumSystemVersion", "computedMinMacOsVersion", "computedMinVisionOsVersion",
        "iconAssetToken", "processingState", "buildAudienceType", "usesNonExemptEncryption",
    ),
    "preReleaseVersions": ("version", "platform"),
    "buildBetaDetails": ("autoNotifyEnabled", "internalBuildState", "externalBuildState"),
    "betaBuildLocalizations": ("locale", "whatsNew"),
    "betaGroups": ("name", "isInternalGroup", "hasAccessToAllBuilds", "publicLinkEnabled"),
    "betaAppReviewSubmissions": ("betaReviewState", "submittedDate"),
    "appStoreVersions": (
        "platform", "versionString", "appStoreState", "appVersionState", "releaseType",
        "reviewType", "earliestReleaseDate", "downloadable", "createdDate",
    ),
    "appStoreVersionPhasedReleases": (
        "phasedReleaseState", "startDate", "totalPauseDuration", "currentDayNumber"),
}
DEFAULTS = {
    "builds": {
        "uploadedDate": "2026-09-01T10:00:00-07:00", "expirationDate": "2026-11-30T10:00:00-08:00",
        "expired": False, "minOsVersion": "15.0", "processingState": "VALID",
        "buildAudienceType": "APP_STORE_ELIGIBLE", "usesNonExemptEncryption": False,
        "marketingVersion": "1.0.0", "platform": "IOS",
    },
    "apps": {"name": "Example", "sku": "example", "primaryLocale": "en-US"},
    "betaGroups": {"name": "Testers", "isInternalGroup": False},
    "appStoreVersions": {
        "platform": "IOS", "releaseType": "AFTER_APPROVAL", "reviewType": "APP_STORE",
        "downloadable": True, "createdDate": "2026-09-01T10:00:00-07:00",
    },
    "appStoreVersionPhasedReleases": {"totalPauseDuration": 0},
    "buildBetaDetails": {
        "autoNotifyEnabled": False, "internalBuildState": "IN_BETA_TESTING",
        "externalBuildState": "READY_FOR_BETA_SUBMISSION",
    },
    "betaAppReviewSubmissions": {"submittedDate": "2026-09-02T10:00:00-07:00"},
}
# The only served state whose name differs between the old and the new attribute.
OLD_STATES = {"READY_FOR_DISTRIBUTION": "READY_FOR_SALE"}


class Resource:
    def __init__(self, kind, number, facts, related=None):
        self.kind = kind
        self.number = number
        facts = {**DEFAULTS.get(kind, {}), **facts}
        self.attributes = {name: facts.get(name) for name in ATTRIBUTES[kind]}
        # Each name has a key of kind and number, a list of keys, or None.
        self.related = related or {}

    @property
    def key(self):
        return self.kind, self.number


class Graph:
    """All resources in a state by kind, in the state's order."""

    def __init__(self, state):
        self.resources = {kind: {} for kind in ATTRIBUTES}
        for app in state["apps"]:
            self.add(Resource("apps", app["id"], app))
        for group in state["betaGroups"]:
            app = ("apps", group["app"])
            self.add(Resource("betaGroups", group["id"], group, {"app": app, "builds": []}))
        for build in state["builds"]:
            self.add_build({**DEFAULTS["builds"], **build})
        for version in state["appStoreVersions"]:
            self.add_version(version, state["states"])

    def add(self, resource):
        self.resources[resource.kind][resource.number] = resource
        return resource

    def get(self, key):
        return self.resources[key[0]].get(key[1])

    def add_build(self, build):
        number = build["id"]
        version = {"version": build["marketingVersion"], "platform": build["platform"]}
        version_id = f"{build['app']}-{version['platform']}-{version['version']}"
        app, key = ("apps", build["app"]), ("builds", number)
        known = self.get(("preReleaseVersions", version_id)) or self.add(
            Resource("preReleaseVersions", version_id, version, {"app": app, "builds": []}))
        known.related["builds"].append(key)
        self.add(Resource("buildBetaDetails", number, build, {"build": key}))
        review = None
        if build.get("betaReviewState"):
            review = self.add(Resource("betaAppReviewSubmissions", number, build, {"build": key}))
        words = [
            self.add(Resource(
                "betaBuildLocalizations", f"{number}-{locale}",
                {"locale": locale, "whatsNew": text}, {"build": key})).key
            for locale, text in build.get("whatsNew", {}).items()
        ]
        groups = [("betaGroups", group) for group in build.get("betaGroups", [])]
        for group in groups:
            self.get(group).related["builds"].append(key)
        self.add(Resource("builds", number, build, {
            "app": app, "preReleaseVersion": known.key, "appStoreVersion": None,
            "buildBetaDetail": ("buildBetaDetails", number), "betaGroups": groups,
            "betaAppReviewSubmission": review and review.key, "betaBuildLocalizations": words,
        }))

    def add_version(self, version, states):
        number = version["id"]
        phased = None
        if version.get("phasedRelease"):
            phased = self.add(Resource(
                "appStoreVersionPhasedReleases", number, version["phasedRelease"]))
        build = ("builds", version["build"]) if version.get("build") else None
        new = version.get("appVersionState")
        old = version.get("appStoreState", OLD_STATES.get(new, new))
        new = new or next((key for key, value in OLD_STATES.items() if value == old), old)
        added = self.add(Resource(
            "appStoreVersions", number,
            {**version, "appVersionState": new, "appStoreState": old},
            {"app": ("apps", version["app"]), "build": build,
             "appStoreVersionPhasedRelease": phased and phased.key},
        ))
        left_out = {"old": "appVersionState", "new": "appStoreState"}.get(states)
        if left_out:
            del added.attributes[left_out]
        if build and self.get(build):
            self.get(build).related["appStoreVersion"] = added.key

    def values(self, resource, path):
        """Returns the values at `name` or at `relationship.name`, for a filter or a sort order."""
        name, _, rest = path.partition(".")
        if name == "id":
            return [resource.number]
        if name not in resource.related:
            return [resource.attributes.get(name)]
        keys = as_list(resource.related[name])
        if not rest:
            return [number for _, number in keys]
        return [
            value for key in keys if self.get(key) for value in self.values(self.get(key), rest)]


def as_list(related):
    if related is None:
        return []
    return related if isinstance(related, list) else [related]
