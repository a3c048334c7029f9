import hashlib
import hmac
import json
import time
import unittest
from urllib.parse import quote, urlsplit

from signing import Signer
from support import HAS_OPENSSL, Receiver, ServerCase

ISSUER = "57246542-96fe-1a63-e053-0824d011072a"


def build(number, version, marketing="3.2.0", **more):
    return {"id": number, "app": "123", "version": version, "marketingVersion": marketing, **more}


STATE = {
    "apps": [{"id": "123", "bundleId": "com.example.shop"},
             {"id": "456", "bundleId": "com.example.other"}],
    "betaGroups": [{"id": "g1", "app": "123", "name": "Everyone", "isInternalGroup": False}],
    "builds": [
        build("b1", "1041", uploadedDate="2026-09-01T10:00:00-07:00", betaGroups=["g1"],
              betaReviewState="APPROVED", externalBuildState="IN_BETA_TESTING"),
        build("b2", "1042", uploadedDate="2026-09-02T10:00:00-07:00",
              buildAudienceType="INTERNAL_ONLY"),
        build("b3", "1043", "3.3.0", uploadedDate="2026-09-02T18:00:00+00:00",
              processingState="PROCESSING"),
        build("b4", "900", "3.0.0", uploadedDate="2026-01-01T00:00:00Z", expired=True),
        {**build("b5", "7"), "app": "456"},
    ],
    "appStoreVersions": [
        {"id": "v1", "app": "123", "versionString": "3.2.0", "build": "b1",
         "appVersionState": "READY_FOR_DISTRIBUTION",
         "phasedRelease": {"phasedReleaseState": "ACTIVE", "startDate": "2026-09-05T10:00:00-07:00",
                           "currentDayNumber": 3}},
        {"id": "v2", "app": "123", "versionString": "3.3.0", "appStoreState": "IN_REVIEW"},
    ],
}


@unittest.skipUnless(HAS_OPENSSL, "no openssl")
class ConnectTests(ServerCase):
    name = "app-store-connect"
    tls = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.signer = Signer("ES256")
        cls.keys = [{"kid": "K1", "publicKey": cls.signer.public},
                    {"kid": "K2", "publicKey": cls.signer.public, "individual": True}]
        cls.bearer = cls.signer.token(cls.claims(exp=int(time.time()) + 900), kid="K1")

    def setUp(self):
        super().setUp()
        self.server.state(keys=self.keys, issuer=ISSUER, **STATE)

    @staticmethod
    def claims(**changes):
        now = int(time.time())
        claims = {"iss": ISSUER, "iat": now, "exp": now + 1200, "aud": "appstoreconnect-v1"}
        claims.update(changes)
        return {name: value for name, value in claims.items() if value is not None}

    def ask(self, path, token=None):
        path, _, query = path.partition("?")
        target = path + "?" + quote(query, safe="=&,%") if query else path
        headers = {"Authorization": f"Bearer {token or self.bearer}"}
        return self.server.request(target, headers=headers)

    def ids(self, path):
        reply = self.ask(path)
        self.assertEqual(reply.status, 200, reply.body)
        return [each["id"] for each in reply.json()["data"]]

    def status_of(self, signer=None, header=None, path="/v1/apps", **changes):
        claims = self.claims(**changes)
        token = (signer or self.signer).token(claims, **{"kid": "K1", **(header or {})})
        return self.ask(path, token).status

    def test_tokens(self):
        now = int(time.time())
        self.assertEqual(self.status_of(), 200)
        self.assertEqual(self.status_of(header={"kid": "K2"}, iss=None, sub="user"), 200)
        self.assertEqual(self.status_of(scope=["GET /v1/apps"]), 200)
        self.assertEqual(self.status_of(iat=None), 200)
        for changes in [
            {"iss": "someone"}, {"aud": "appstoreconnect"}, {"exp": now - 1}, {"exp": None},
            {"exp": now + 1300}, {"iat": now + 600, "exp": now + 900},
            {"scope": ["GET /v1/builds"]}, {"scope": "GET /v1/apps"},
            {"header": {"kid": "K3"}}, {"header": {"typ": "JOSE"}}, {"header": {"alg": "HS256"}},
            {"header": {"kid": "K2"}}, {"signer": Signer("ES256")},
        ]:
            self.assertEqual(self.status_of(**changes), 401, changes)
        self.assertEqual(self.ask("/v1/apps", "x").status, 401)
        self.server.change(verify=False)
        self.assertEqual(self.status_of(signer=Signer("ES256")), 200)

    def test_error_responses_are_lists_of_errors(self):
        reply = self.ask("/v1/apps", "x")
        error, = reply.json()["errors"]
        self.assertEqual((error["status"], error["code"]), ("401", "NOT_AUTHORIZED"))
        for path, status, code in [
            ("/v1/builds/none", 404, "NOT_FOUND"), ("/v1/nothing", 404, "NOT_FOUND"),
            ("/v1/appStoreVersions", 404, "NOT_FOUND"),
            ("/v1/builds?sort=createdDate", 400, "PARAMETER_ERROR.INVALID"),
            ("/v1/builds?limit=201", 400, "PARAMETER_ERROR.INVALID"),
            ("/v1/builds?include=icons", 400, "PARAMETER_ERROR.INVALID"),
            ("/v1/builds?filter[colour]=red", 400, "PARAMETER_ERROR.ILLEGAL"),
            ("/v1/apps/123/builds?sort=version", 400, "PARAMETER_ERROR.ILLEGAL"),
            ("/v1/apps/123/builds?filter[version]=1", 400, "PARAMETER_ERROR.ILLEGAL"),
            ("/v1/betaAppReviewSubmissions", 400, "PARAMETER_ERROR.REQUIRED"),
        ]:
            reply = self.ask(path)
            error, = reply.json()["errors"]
            self.assertEqual((reply.status, error["code"]), (status, code), path)
            if status == 400:
                self.assertIn(error["source"]["parameter"], path + "filter[build]")
        self.server.change(role="forbidden")
        self.assertEqual(self.ask("/v1/apps").status, 403)

    def test_an_app_is_found_by_its_bundle_id(self):
        self.assertEqual(self.ids("/v1/apps?filter[bundleId]=com.example.shop"), ["123"])
        self.assertEqual(self.ids("/v1/apps?filter[bundleId]=none"), [])
        app = self.ask("/v1/apps/123").json()["data"]
        self.assertEqual(app["attributes"]["bundleId"], "com.example.shop")

    def test_builds_by_filters_and_in_order(self):
        for query, expected in [
            ("filter[app]=123&sort=-uploadedDate", ["b3", "b2", "b1", "b4"]),
            ("filter[app]=123&sort=version", ["b4", "b1", "b2", "b3"]),
            ("filter[app]=123&sort=-preReleaseVersion", ["b3", "b1", "b2", "b4"]),
            ("filter[app]=123&filter[expired]=false&filter[processingState]=VALID", ["b1", "b2"]),
            ("filter[buildAudienceType]=INTERNAL_ONLY", ["b2"]),
            ("filter[app]=123&filter[preReleaseVersion.version]=3.2.0,3.3.0", ["b1", "b2", "b3"]),
            ("filter[app]=123&filter[version]=1042", ["b2"]),
            ("filter[betaAppReviewSubmission.betaReviewState]=APPROVED", ["b1"]),
            ("filter[betaGroups]=g1", ["b1"]),
            ("filter[preReleaseVersion.platform]=MAC_OS", []),
        ]:
            self.assertEqual(self.ids(f"/v1/builds?{query}"), expected, query)

    def test_a_build_with_included_resources(self):
        document = self.ask(
            "/v1/builds?filter[version]=1041&include=preReleaseVersion,buildBetaDetail,betaGroups"
            "&fields[preReleaseVersions]=version").json()
        found, = document["data"]
        self.assertEqual(found["type"], "builds")
        self.assertEqual(found["attributes"]["buildAudienceType"], "APP_STORE_ELIGIBLE")
        self.assertEqual(found["attributes"]["expirationDate"], "2026-11-30T10:00:00-08:00")
        included = {(each["type"], each["id"]): each for each in document["included"]}
        for name in ("preReleaseVersion", "buildBetaDetail"):
            key = found["relationships"][name]["data"]
            self.assertIn((key["type"], key["id"]), included)
        version = found["relationships"]["preReleaseVersion"]["data"]["id"]
        self.assertEqual(
            included["preReleaseVersions", version]["attributes"], {"version": "3.2.0"})
        detail = included["buildBetaDetails", "b1"]["attributes"]
        self.assertEqual(detail["externalBuildState"], "IN_BETA_TESTING")
        self.assertEqual(found["relationships"]["betaGroups"]["data"], [
            {"type": "betaGroups", "id": "g1"}])
        self.assertNotIn("data", found["relationships"]["app"])
        self.server.change(relationshipData="always")
        found = self.ask("/v1/builds/b1").json()["data"]
        self.assertEqual(found["relationships"]["app"]["data"], {"type": "apps", "id": "123"})

    def test_included_resources_are_not_repeated(self):
        document = self.ask(
            "/v1/builds?filter[preReleaseVersion.version]=3.2.0&filter[app]=123"
            "&include=preReleaseVersion").json()
        self.assertEqual((len(document["data"]), len(document["included"])), (2, 1))

    def test_fields(self):
        found = self.ask("/v1/builds/b1?fields[builds]=version,app").json()["data"]
        self.assertEqual(found["attributes"], {"version": "1041"})
        self.assertEqual(list(found["relationships"]), ["app"])

    def test_related_resources(self):
        for path, expected in {
            "/v1/builds/b1/preReleaseVersion": "123-IOS-3.2.0",
            "/v1/builds/b1/betaAppReviewSubmission": "b1", "/v1/builds/b1/app": "123",
            "/v1/builds/b1/appStoreVersion": "v1", "/v1/builds/b1/buildBetaDetail": "b1",
            "/v1/appStoreVersions/v1/appStoreVersionPhasedRelease": "v1",
            "/v1/appStoreVersions/v1/build": "b1",
        }.items():
            self.assertEqual(self.ask(path).json()["data"]["id"], expected, path)
        self.assertEqual(self.ids("/v1/apps/456/builds?fields[builds]=version"), ["b5"])
        self.assertEqual(self.ids("/v1/apps/123/betaGroups"), ["g1"])
        self.assertEqual(self.ids("/v1/betaGroups/g1/builds"), ["b1"])
        self.assertEqual(self.ids("/v1/betaAppReviewSubmissions?filter[build]=b1,b2"), ["b1"])
        self.assertEqual(self.ids("/v1/preReleaseVersions?filter[version]=3.3.0"), [
            "123-IOS-3.3.0"])

    def test_an_absent_relation_is_null_or_404(self):
        path = "/v1/appStoreVersions/v2/appStoreVersionPhasedRelease"
        reply = self.ask(path)
        self.assertEqual((reply.status, reply.json()["data"]), (200, None))
        self.server.change(absentRelation="404")
        self.assertEqual(self.ask(path).status, 404)

    def test_versions_by_either_name_of_their_state(self):
        path = "/v1/apps/123/appStoreVersions"
        document = self.ask(
            f"{path}?filter[appVersionState]=READY_FOR_DISTRIBUTION"
            "&include=build,appStoreVersionPhasedRelease").json()
        found, = document["data"]
        self.assertEqual(found["attributes"]["appStoreState"], "READY_FOR_SALE")
        phased = [each for each in document["included"]
                  if each["type"] == "appStoreVersionPhasedReleases"][0]["attributes"]
        self.assertEqual((phased["phasedReleaseState"], phased["currentDayNumber"]), ("ACTIVE", 3))
        self.assertEqual(self.ids(f"{path}?filter[appStoreState]=IN_REVIEW"), ["v2"])
        for states, missing in {"old": "appVersionState", "new": "appStoreState"}.items():
            self.server.change(states=states)
            self.assertNotIn(missing, self.ask(path).json()["data"][0]["attributes"])

    def test_pages(self):
        target, seen = "/v1/builds?filter%5Bapp%5D=123&limit=1&sort=version", []
        while target:
            reply = self.server.request(
                target, headers={"Authorization": f"Bearer {self.bearer}"})
            document = reply.json()
            paging, following = document["meta"]["paging"], document["links"].get("next")
            seen += [each["id"] for each in document["data"]]
            self.assertEqual((paging["total"], paging["limit"]), (4, 1))
            self.assertEqual("nextCursor" in paging, following is not None)
            if following is None:
                break
            self.assertTrue(following.startswith(self.server.origin + "/v1/builds?"))
            target = following[len(self.server.origin):]
        self.assertEqual(seen, ["b4", "b1", "b2", "b3"])

    def test_pages_in_other_forms(self):
        self.server.change(pageSize=2, pagingTotal=False, nextCursor=False, nextHost="other")
        document = self.ask("/v1/builds?limit=200").json()
        self.assertEqual(len(document["data"]), 2)
        self.assertEqual(document["meta"]["paging"], {"limit": 200})
        self.assertEqual(urlsplit(document["links"]["next"]).port, self.server.other_port)
        self.assertEqual(self.ask("/v1/builds?cursor=???").status, 400)

    def test_rates(self):
        self.server.change(rateLimit={"hour": 3, "header": "both"})
        replies = [self.ask("/v1/apps") for _ in range(4)]
        self.assertEqual([each.status for each in replies], [200, 200, 200, 429])
        self.assertEqual(
            replies[0].fields["X-Rate-Limit"],
            "user-minute-lim:150;user-minute-rem:149;user-hour-lim:3;user-hour-rem:2;")
        self.assertEqual(replies[3].json()["errors"][0]["code"], "RATE_LIMIT_EXCEEDED")
        self.server.change(rateLimit={"hour": 3500, "minute": 1, "header": "hour"})
        self.assertEqual([self.ask("/v1/apps").status for _ in range(2)], [200, 429])
        self.server.change(rateLimit={"minute": 150, "header": "absent"})
        self.assertIsNone(self.ask("/v1/apps").fields["X-Rate-Limit"])

    def test_webhooks(self):
        receiver = Receiver()
        self.addCleanup(receiver.stop)
        for form in ("prefixed", "bare", "wrong", "absent"):
            hook = {"url": receiver.url, "secret": "s3cret", "form": form}
            self.server.change(webhook=hook)
            self.assertEqual(self.server.control("POST", "/send", {"id": "e7"})["status"], 204)
            headers, body = receiver.received.get(timeout=5)
            right = hmac.new(b"s3cret", body, hashlib.sha256).hexdigest()
            expected = {"prefixed": "hmacsha256=" + right, "bare": right, "absent": None}
            if form == "wrong":
                self.assertNotIn(headers["X-Apple-SIGNATURE"], expected.values())
            else:
                self.assertEqual(headers["X-Apple-SIGNATURE"], expected[form])
            notice = json.loads(body)["data"]
            self.assertEqual((notice["id"], notice["type"]), ("e7", "buildUploadStateUpdated"))
            self.assertIn("timestamp", notice["attributes"])

    def test_an_inconsistent_state_is_rejected(self):
        for broken in (
            {"builds": [{**build("b1", "1"), "app": "999"}]},
            {"appStoreVersions": [{"id": "v", "app": "123", "build": "none"}]},
            {"keys": [{"kid": "K", "publicKey": "none"}]},
        ):
            self.server.control("PATCH", "/state", broken, expects=400)


del ServerCase

if __name__ == "__main__":
    unittest.main()
