import unittest

from support import ServerCase


def app(version, in_japan=None):
    facts = {"version": version, "currentVersionReleaseDate": "2026-09-01T07:00:00Z"}
    return {
        "trackId": 1234567890, "bundleId": "com.example.shop",
        "storefronts": {"us": facts, "jp": {**facts, "version": in_japan or version}},
    }


class AppStoreTests(ServerCase):
    name = "app-store"
    tls = True

    def setUp(self):
        super().setUp()
        self.server.state(apps=[app("3.4.0")])

    def version(self, query="id=1234567890"):
        return self.get(f"/lookup?{query}").json()["results"][0]["version"]

    def test_lookup_by_number_and_by_bundle(self):
        for query in ("id=1234567890", "bundleId=com.example.shop&country=US", "id=1,1234567890"):
            reply = self.get(f"/lookup?{query}")
            self.assertEqual(reply.fields["Content-Type"], "text/javascript; charset=utf-8")
            self.assertTrue(reply.body.startswith(b"\n\n\n{"))
            self.assertEqual(reply.fields["Cache-Control"], "no-transform, max-age=57")
            found = reply.json()
            self.assertEqual(found["resultCount"], 1)
            result, = found["results"]
            self.assertEqual((result["version"], result["trackId"]), ("3.4.0", 1234567890))
            self.assertEqual(
                result["trackViewUrl"], "https://apps.apple.com/us/app/example/id1234567890?uo=4")
            self.assertIsInstance(result["fileSizeBytes"], str)
            self.assertNotIn("storefronts", result)

    def test_a_post_gets_the_same_response(self):
        reply = self.server.request("/lookup?id=1234567890", "POST")
        self.assertEqual(reply.json()["resultCount"], 1)

    def test_each_storefront_has_its_own(self):
        self.server.state(apps=[app("3.4.0", in_japan="3.3.0")])
        self.assertEqual(self.version("id=1234567890&country=jp"), "3.3.0")
        self.assertEqual(self.version(), "3.4.0")

    def test_no_result_is_no_error(self):
        for query in ("id=1", "bundleId=com.example", "id=1234567890&country=de", ""):
            reply = self.get(f"/lookup?{query}")
            self.assertEqual((reply.status, reply.json()), (200, {"resultCount": 0, "results": []}))

    def test_an_invalid_country(self):
        reply = self.get("/lookup?id=1&country=usa")
        self.assertEqual(reply.status, 400)
        self.assertIn("country", reply.json()["errorMessage"])
        self.server.change(unknownCountry="empty")
        self.assertEqual(self.get("/lookup?id=1&country=usa").json()["resultCount"], 0)

    def test_the_content_type_and_the_leading_lines(self):
        self.server.change(contentType="application/json", leadingLines=0)
        reply = self.get("/lookup?id=1234567890")
        self.assertEqual(reply.fields["Content-Type"], "application/json")
        self.assertTrue(reply.body.startswith(b"{"))

    def test_too_many_lookups(self):
        for form, status, type_ in [
            ("403-empty", 403, None), ("429", 429, None), ("200-empty", 200, None),
            ("403-html", 403, "text/html"),
        ]:
            self.server.state(apps=[app("3.4.0")], allowance=0, throttle=form)
            reply = self.get("/lookup?id=1234567890")
            self.assertEqual((reply.status, reply.fields["Content-Type"]), (status, type_))
            self.assertEqual(reply.body == b"", type_ is None)
            self.assertIsNone(reply.fields["Retry-After"])
        self.server.state(apps=[app("3.4.0")], allowance=100, period=0.01)
        self.assertEqual(self.version(), "3.4.0")

    def test_the_cache_keeps_responses_until_a_purge(self):
        self.server.change(staleness="cached")
        self.assertEqual(self.version(), "3.4.0")
        self.server.change(apps=[app("3.5.0")])
        self.assertEqual(self.version(), "3.4.0")
        self.assertEqual(self.version("country=us&id=1234567890"), "3.5.0")
        self.server.change(apps=[app("3.6.0")])
        self.assertEqual(self.version("id=1234567890&country=us"), "3.5.0")
        self.assertEqual(self.version("id=1234567890&_cb=1"), "3.6.0")
        self.server.control("POST", "/purge")
        self.assertEqual(self.version(), "3.6.0")

    def test_the_cache_may_ignore_unknown_parameters(self):
        self.server.change(staleness="cached", cacheKey="known-parameters")
        self.assertEqual(self.version("id=1234567890&_cb=1"), "3.4.0")
        self.server.change(apps=[app("3.5.0")])
        self.assertEqual(self.version("id=1234567890&_cb=2"), "3.4.0")

    def test_cached_responses_expire(self):
        self.server.change(staleness="cached", cacheSeconds=0)
        self.version()
        self.server.change(apps=[app("3.5.0")])
        self.assertEqual(self.version(), "3.5.0")

    def test_responses_may_lag_behind(self):
        self.server.change(apps=[app("3.5.0")], staleness="flapping")
        self.assertEqual({self.version() for _ in range(4)}, {"3.4.0", "3.5.0"})
        self.server.change(staleness="bundle-id-lags")
        self.assertEqual(self.version(), "3.5.0")
        self.assertEqual(self.version("bundleId=com.example.shop"), "3.4.0")

    def kinds(self, query):
        found = self.get(f"/lookup?{query}").json()["results"]
        return [(each["kind"], each["version"]) for each in found]

    def test_an_app_of_several_platforms_has_a_record_for_each(self):
        television = {**app("1.3"), "supportedDevices": ["AppleTV4-AppleTV4"]}
        self.server.state(apps=[app("3.0.3"), {**app("2.3.5"), "kind": "mac-software"}, television])
        phone, mac = ("software", "3.0.3"), ("mac-software", "2.3.5")
        number, bundle = "id=1234567890", "bundleId=com.example.shop"
        for query in (number, bundle, f"{bundle}&entity=desktopSoftware"):
            self.assertEqual(self.kinds(query), [phone])
        self.assertEqual(self.kinds(f"{number}&entity=desktopSoftware"), [mac])
        self.assertEqual(self.kinds(f"{number}&entity=tvSoftware"), [("software", "1.3")])
        self.server.change(entity="honored")
        self.assertEqual(self.kinds(f"{bundle}&entity=macSoftware"), [mac])
        self.server.change(entity="ignored")
        self.assertEqual(self.kinds(f"{number}&entity=desktopSoftware"), [phone])
        self.server.change(entity="all-records")
        self.assertEqual(self.kinds(number), [phone, mac, ("software", "1.3")])

    def test_an_app_without_a_record_of_the_entity_is_missing(self):
        self.assertEqual(self.kinds("id=1234567890&entity=desktopSoftware"), [])
        self.server.state(apps=[{**app("2.3.5"), "kind": "mac-software"}])
        self.assertEqual(self.kinds("id=1234567890"), [("mac-software", "2.3.5")])

    def test_an_app_without_a_version_is_rejected(self):
        broken = {"trackId": 1, "bundleId": "a", "storefronts": {"us": {}}}
        self.server.control("PUT", "/state", {"apps": [broken]}, expects=400)


del ServerCase

if __name__ == "__main__":
    unittest.main()
