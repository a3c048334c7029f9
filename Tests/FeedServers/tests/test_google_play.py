import unittest

from signing import ServiceAccount
from support import HAS_OPENSSL, ServerCase

APP = "/androidpublisher/v3/applications/com.example.shop"
FULL = {"name": "3.2.0", "versionCodes": ["3020", "3021"], "status": "completed"}
PARTIAL = {"name": "3.3.0", "versionCodes": ["3030"], "status": "inProgress", "userFraction": 0.1,
           "inAppUpdatePriority": 4}
DRAFT = {"name": "3.4.0", "versionCodes": ["3040"], "status": "draft"}


class GooglePlayTests(ServerCase):
    name = "google-play"
    tls = True

    def setUp(self):
        super().setUp()
        apps = {"com.example.shop": {"production": [DRAFT, PARTIAL, FULL], "beta": []}}
        self.server.state(apps=apps, oauth={"accepted": ["t"]})

    def ask(self, path, method="GET", body=None, token="t"):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self.server.request(path, method, body, headers)

    def edit(self):
        edit = self.ask(f"{APP}/edits", "POST", "{}").json()
        self.assertTrue(edit["expiryTimeSeconds"].isdigit())
        return f"{APP}/edits/{edit['id']}"

    def test_the_listing_has_numbers_and_states(self):
        releases = self.ask(f"{APP}/tracks/production/releases").json()["releases"]
        self.assertEqual(
            [each["releaseLifecycleState"].rpartition("_")[2] for each in releases],
            ["DRAFT", "PUBLISHED", "PUBLISHED"])
        self.assertEqual(releases[2]["activeArtifacts"], [
            {"versionCode": 3020}, {"versionCode": 3021}])
        self.assertNotIn("userFraction", releases[1])
        self.assertEqual(self.ask(f"{APP}/tracks/beta/releases").json(), {})
        self.assertEqual(self.ask(f"{APP}/tracks/none/releases").status, 404)

    def test_the_listing_is_limited_to_twenty_releases(self):
        many = [{**FULL, "name": str(number)} for number in range(25)]
        self.server.change(apps={"com.example.shop": {"production": many}})
        releases = self.ask(f"{APP}/tracks/production/releases").json()["releases"]
        self.assertEqual(len(releases), 20)

    def test_the_listing_may_be_missing(self):
        self.server.change(listing=False)
        self.assertEqual(self.ask(f"{APP}/tracks/production/releases").status, 404)

    def test_an_edit_shows_the_tracks(self):
        edit = self.edit()
        track = self.ask(f"{edit}/tracks/production").json()
        self.assertEqual(track, {"track": "production", "releases": [DRAFT, PARTIAL, FULL]})
        tracks = self.ask(f"{edit}/tracks").json()
        self.assertEqual(tracks["kind"], "androidpublisher#tracksListResponse")
        self.assertEqual(tracks["tracks"], [track, {"track": "beta"}])
        self.server.change(emptyTracks="left-out")
        self.assertEqual(self.ask(f"{edit}/tracks").json()["tracks"], [track])
        self.assertEqual(self.ask(f"{edit}/tracks/none").status, 404)

    def test_an_edit_ends(self):
        edit = self.edit()
        self.assertEqual(len(self.server.control("POST", "/edits")["edits"]), 1)
        self.assertEqual(self.ask(edit, "DELETE").status, 204)
        self.assertEqual(self.server.control("POST", "/edits")["edits"], [])
        self.assertEqual(self.ask(f"{edit}/tracks").status, 400)
        self.server.change(editLifetime=-1)
        self.assertEqual(self.ask(f"{self.edit()}/tracks").status, 400)

    def test_an_edit_may_end_the_one_before(self):
        first = self.edit()
        self.edit()
        self.assertEqual(self.ask(first).status, 400)
        self.server.change(editsInvalidate=False)
        second = self.edit()
        self.edit()
        self.assertEqual(self.ask(second).status, 200)

    def test_errors_have_the_google_envelope(self):
        self.assertEqual(self.ask(f"{APP}/edits", "POST", token=None).status, 401)
        other = self.ask("/androidpublisher/v3/applications/com.other/edits", "POST")
        self.assertEqual(other.status, 404)
        self.assertEqual(other.json()["error"]["message"], "Package not found: com.other.")
        self.server.change(invited=False)
        self.assertEqual(
            self.ask(f"{APP}/edits", "POST").json()["error"]["status"], "PERMISSION_DENIED")
        self.server.fault("429")
        self.assertEqual(self.ask(APP).json()["error"]["status"], "RESOURCE_EXHAUSTED")

    def test_invalid_releases_are_rejected(self):
        for release in [
            {}, {"status": "done"}, {"status": "completed", "userFraction": 0.5},
            {"status": "halted", "userFraction": 1}, {"status": "draft", "versionCodes": [1]},
        ]:
            apps = {"com.example.shop": {"production": [release]}}
            self.server.control("PATCH", "/state", {"apps": apps}, expects=400)

    @unittest.skipUnless(HAS_OPENSSL, "no openssl")
    def test_a_service_account_needs_the_scope(self):
        account = ServiceAccount()
        self.server.change(oauth={"accounts": [account.file]})
        path = f"{APP}/tracks/production/releases"
        good = account.access(self.server, "https://www.googleapis.com/auth/androidpublisher")
        self.assertEqual(self.server.request(path, headers=good).status, 200)
        narrow = account.access(self.server, "https://www.googleapis.com/auth/cloud-platform")
        self.assertEqual(self.server.request(path, headers=narrow).status, 403)
        self.server.control("POST", "/expire")
        self.assertEqual(self.server.request(path, headers=good).status, 401)


del ServerCase

if __name__ == "__main__":
    unittest.main()
