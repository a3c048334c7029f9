import json
import unittest

from signing import ServiceAccount
from support import HAS_OPENSSL, ServerCase, unpacked

SCOPE = "https://www.googleapis.com/auth/firebase.remoteconfig"
PATH = "/v1/projects/example/remoteConfig"
SERVER = "/v1/projects/example/namespaces/firebase-server"
TEMPLATE = {
    "conditions": [{"name": "ios", "expression": "device.os == 'ios'", "tagColor": "BLUE"}],
    "parameters": {
        "min_version": {
            "defaultValue": {"value": "3.2.0"}, "valueType": "STRING",
            "conditionalValues": {"ios": {"value": "3.4.0"}},
        },
    },
    "parameterGroups": {"store": {"parameters": {
        "lastest_version": {"defaultValue": {"useInAppDefault": True}}}}},
}


class TemplateTests(ServerCase):
    name = "firebase-remote-config"
    tls = True

    def setUp(self):
        super().setUp()
        self.server.state(template=TEMPLATE, oauth={"accepted": ["t"]})

    def ask(self, path=PATH, token="t", method="GET", body=None, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers = {"Accept-Encoding": "gzip", **headers}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        return self.server.request(path, method, body, headers)

    def template(self, path=PATH):
        return json.loads(unpacked(self.ask(path)))

    def test_a_template_has_gzip_an_etag_and_a_version(self):
        reply = self.ask()
        self.assertEqual(reply.fields["Content-Encoding"], "gzip")
        self.assertRegex(reply.fields["ETag"], r"^etag-123456789012-\d+$")
        template = json.loads(unpacked(reply))
        version = template.pop("version")
        self.assertEqual(template, TEMPLATE)
        self.assertTrue(version["versionNumber"].isdigit())
        self.assertRegex(version["updateTime"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual(version["updateOrigin"], "CONSOLE")

    def test_a_change_raises_the_version(self):
        first, tag = self.template(), self.ask().fields["ETag"]
        self.server.change(template={**TEMPLATE, "conditions": []})
        second = self.template()
        numbers = [int(each["version"]["versionNumber"]) for each in (first, second)]
        self.assertEqual(numbers[1], numbers[0] + 1)
        self.assertNotEqual(self.ask().fields["ETag"], tag)
        old = self.template(f"{PATH}?versionNumber={numbers[0]}")
        self.assertEqual(old["conditions"], TEMPLATE["conditions"])
        self.assertEqual(self.ask(f"{PATH}?versionNumber=99999").status, 404)

    def test_without_gzip_there_is_no_valid_etag(self):
        self.assertIsNone(self.ask(Accept_Encoding="identity").fields["ETag"])
        self.server.change(etagWithoutGzip="wrong")
        self.assertNotEqual(
            self.ask(Accept_Encoding="identity").fields["ETag"], self.ask().fields["ETag"])
        self.server.change(etagWithoutGzip="sent")
        self.assertEqual(
            self.ask(Accept_Encoding="identity").fields["ETag"], self.ask().fields["ETag"])

    def test_a_known_tag_gets_the_template_or_304(self):
        tag = self.ask().fields["ETag"]
        self.assertEqual(self.ask(If_None_Match=tag).status, 200)
        self.server.change(conditional="304")
        self.assertEqual(self.ask(If_None_Match=tag).status, 304)

    def test_namespaces(self):
        server, evaluatable = {"parameters": {"a": {}}}, {"conditions": [{
            "name": "c", "condition": {"orCondition": {"conditions": [{"true": {}}]}}}]}
        self.server.change(serverTemplate=server, evaluatable=evaluatable, versions=False)
        self.assertEqual(
            self.template("/v1/projects/example/namespaces/firebase/remoteConfig")["parameters"],
            TEMPLATE["parameters"])
        self.assertEqual(self.template(f"{SERVER}/remoteConfig"), server)
        self.assertEqual(self.template(f"{SERVER}/serverRemoteConfig"), evaluatable)
        self.assertEqual(self.ask("/v1/projects/other/remoteConfig").status, 404)

    def test_a_project_without_a_template(self):
        for form, status, template in [
            ("absent-keys", 200, {}), ("404", 404, None),
            ("empty-object", 200, {"conditions": [], "parameters": {}, "parameterGroups": {}}),
        ]:
            self.server.state(oauth={"accepted": ["t"]}, emptyTemplate=form)
            reply = self.ask()
            self.assertEqual(reply.status, status)
            if template is not None:
                self.assertEqual(json.loads(unpacked(reply)), template)

    def test_errors_have_the_google_envelope(self):
        for token, status, name in [
            (None, 401, "UNAUTHENTICATED"), ("wrong", 401, "UNAUTHENTICATED"),
        ]:
            reply = self.ask(token=token, Accept_Encoding="identity")
            self.assertEqual(reply.status, status)
            self.assertEqual(reply.json()["error"]["status"], name)
            self.assertEqual(reply.json()["error"]["code"], status)
            self.assertIn("Bearer", reply.fields["WWW-Authenticate"])
        self.server.change(enabled=False)
        disabled = self.ask(Accept_Encoding="identity")
        self.assertEqual(disabled.json()["error"]["status"], "PERMISSION_DENIED")
        self.server.fault("429", retryAfter=3)
        throttled = self.ask()
        self.assertEqual(throttled.json()["error"]["status"], "RESOURCE_EXHAUSTED")
        self.assertEqual(throttled.fields["Retry-After"], "3")

    def test_a_new_template_needs_the_current_etag(self):
        body = json.dumps({"parameters": {"min_version": {"defaultValue": {"value": "9"}}}})
        tag = self.ask().fields["ETag"]
        self.assertEqual(self.ask(method="PUT", body=body).status, 400)
        self.assertEqual(self.ask(method="PUT", body=body, If_Match="etag-1-1").status, 409)
        tried = self.ask(f"{PATH}?validate_only=true", method="PUT", body=body, If_Match=tag)
        self.assertEqual((tried.status, tried.fields["ETag"]), (200, "etag-123456789012-0"))
        self.assertIn("conditions", self.template())
        self.assertEqual(self.ask(method="PUT", body=body, If_Match=tag).status, 200)
        self.assertEqual(self.template()["version"]["updateOrigin"], "REST_API")

    def test_invalid_templates(self):
        self.server.control("PATCH", "/state", {"template": {"params": {}}}, expects=400)

    @unittest.skipUnless(HAS_OPENSSL, "no openssl")
    def test_a_service_account_needs_the_scope(self):
        account = ServiceAccount()
        self.server.change(oauth={"accounts": [account.file]})
        good = account.access(self.server, SCOPE)
        self.assertEqual(self.server.request(PATH, headers=good).status, 200)
        narrow = account.access(self.server, "https://www.googleapis.com/auth/androidpublisher")
        refused = self.server.request(PATH, headers=narrow)
        self.assertEqual((refused.status, refused.json()["error"]["status"]),
                         (403, "PERMISSION_DENIED"))
        self.server.control("POST", "/expire")
        self.assertEqual(self.server.request(PATH, headers=good).status, 401)


del ServerCase

if __name__ == "__main__":
    unittest.main()
