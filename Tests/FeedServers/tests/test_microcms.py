import hashlib
import hmac
import json
import queue
import unittest

from support import Receiver, ServerCase

NOTICE = {
    "title": "アップデートのお知らせ", "message": "新しいバージョンをご利用ください。",
    "startDate": "2026-09-01T00:00:00.000Z", "minAppVersion": "3.2.0", "maxAppVersion": "",
    "platform": ["ios"], "detail": {"fieldId": "detail", "url": "https://example.com", "note": ""},
}


class MicroCMSTests(ServerCase):
    name = "microcms"
    tls = True

    def setUp(self):
        super().setUp()
        self.publish(NOTICE)

    def publish(self, content, **more):
        self.server.change(endpoints={"gate": {"content": content, **more}})

    def read(self, query="", key="test-key", name="X-MICROCMS-API-KEY", path="gate"):
        return self.server.request(f"/api/v1/{path}{query}", headers={name: key} if key else {})

    def test_an_object_has_its_fields_and_dates(self):
        reply = self.read()
        value = reply.json()
        self.assertEqual(value["minAppVersion"], "3.2.0")
        self.assertEqual(value["platform"], ["ios"])
        self.assertNotIn("id", value)
        for name in ("createdAt", "updatedAt", "publishedAt", "revisedAt"):
            self.assertRegex(value[name], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual(reply.fields["x-cache"], "Miss from cloudfront")
        self.assertTrue(reply.fields["x-current-date-time"].endswith("Z"))
        self.assertIsNone(reply.fields["ETag"])

    def test_empty_fields_are_missing_or_null(self):
        value = self.read().json()
        self.assertNotIn("maxAppVersion", value)
        self.assertNotIn("note", value["detail"])
        self.server.change(emptyFields="null")
        self.assertIsNone(self.read().json()["maxAppVersion"])

    def test_a_change_updates_the_dates(self):
        before = self.read().json()
        self.publish({**NOTICE, "minAppVersion": "3.3.0"})
        after = self.read().json()
        self.assertEqual(before["createdAt"], after["createdAt"])
        self.assertGreaterEqual(after["revisedAt"], before["revisedAt"])
        self.assertEqual(after["minAppVersion"], "3.3.0")

    def test_access_depends_on_the_key(self):
        for key in (None, "wrong"):
            reply = self.read(key=key)
            self.assertEqual(reply.status, 401)
            self.assertEqual(reply.json(), {"message": "X-MICROCMS-API-KEY header is invalid."})
        self.assertEqual(self.read(name="X-API-KEY").status, 200)
        self.server.change(legacyHeader=False)
        self.assertEqual(self.read(name="X-API-KEY").status, 401)
        self.server.change(keysWithoutGet=["weak"])
        reply = self.read(key="weak")
        self.assertEqual((reply.status, reply.json()["message"]), (400, "GET is forbidden."))
        for refuses, word in {"ip": "IP address", "plan": "upgrade your plan"}.items():
            self.server.change(refuses=refuses)
            reply = self.read()
            self.assertEqual(reply.status, 400)
            self.assertIn(word, reply.json()["message"])

    def test_errors_may_be_empty(self):
        self.server.change(errorBody="empty")
        reply = self.read(path="other")
        self.assertEqual((reply.status, reply.body), (404, b""))

    def test_drafts(self):
        draft = {"draft": {"minAppVersion": "4.0.0"}, "draftKey": "k1"}
        self.publish(NOTICE, **draft)
        self.assertEqual(self.read("?draftKey=k1").json()["minAppVersion"], "4.0.0")
        self.assertEqual(self.read("?draftKey=old").json()["minAppVersion"], "3.2.0")
        for status in ("DRAFT", "CLOSED"):
            self.publish(NOTICE, status=status, **draft)
            self.assertEqual(self.read().status, 404)
            self.assertEqual(self.read("?draftKey=old").status, 404)
            self.assertEqual(self.read("?draftKey=k1").status, 200)

    def test_fields_and_depth(self):
        value = self.read("?fields=title,detail.url&depth=").json()
        self.assertEqual(value, {
            "title": NOTICE["title"], "detail": {"url": "https://example.com"}})
        self.assertEqual(self.read("?depth=4").status, 400)

    def test_lists(self):
        contents = [
            {"id": f"n{number}", "os": "ios" if number % 2 else "android", "number": number}
            for number in range(12)
        ] + [{"id": "hidden", "status": "DRAFT", "os": "ios"}]
        self.server.change(endpoints={"gates": {"contents": contents}})
        value = self.read(path="gates").json()
        self.assertEqual([value[key] for key in ("totalCount", "offset", "limit")], [12, 0, 10])
        self.assertEqual(len(value["contents"]), 10)
        second = self.read("?limit=5&offset=10", path="gates").json()
        self.assertEqual([each["id"] for each in second["contents"]], ["n10", "n11"])
        one = self.read("?filters=os[equals]ios[and]number[equals]3&fields=id", path="gates").json()
        self.assertEqual(one["contents"], [{"id": "n3"}])
        named = self.read("?ids=n1,n2&orders=-number", path="gates").json()
        self.assertEqual([each["id"] for each in named["contents"]], ["n2", "n1"])
        self.assertEqual(self.read(path="gates/n7").json()["number"], 7)
        self.assertEqual(self.read(path="gates/hidden").status, 404)
        self.assertEqual(self.read(path="gates/none").status, 404)
        for query in ("?limit=101", "?limit=x", "?filters=os[like]ios"):
            self.assertEqual(self.read(query, path="gates").status, 400)

    def test_optional_etags(self):
        for form in ("strong", "weak"):
            self.server.change(etag=form)
            tag = self.read().fields["ETag"]
            self.assertEqual(tag.startswith("W/"), form == "weak")
            headers = {"X-MICROCMS-API-KEY": "test-key", "If-None-Match": tag}
            self.assertEqual(self.server.request("/api/v1/gate", headers=headers).status, 304)

    def test_an_object_may_have_an_id(self):
        self.server.change(objectId=True)
        self.assertEqual(self.read().json()["id"], "gate")

    def test_the_edge_serves_repeated_urls_without_counting_them(self):
        self.server.change(edge=True, allowance=1)
        self.assertEqual(self.read().fields["x-cache"], "Miss from cloudfront")
        for _ in range(3):
            self.assertEqual(self.read().fields["x-cache"], "Hit from cloudfront")
        busted = self.read("?_=1")
        self.assertEqual(busted.status, 429)
        self.assertEqual(busted.fields["X-RateLimit-Limit"], "1")
        self.assertEqual(busted.fields["X-RateLimit-Remaining"], "0")
        self.assertTrue(busted.fields["X-RateLimit-Reset"].isdigit())
        self.server.change(allowance=None)
        self.publish({**NOTICE, "title": "new"})
        self.assertEqual(self.read().json()["title"], "new")


class WebhookTests(ServerCase):
    name = "microcms"

    def setUp(self):
        super().setUp()
        self.receiver = Receiver()
        self.received, self.url = self.receiver.received, self.receiver.url

    def tearDown(self):
        self.receiver.stop()

    def test_a_change_sends_a_signed_webhook(self):
        self.server.state(endpoints={"gate": {"content": {"minAppVersion": "1.0.0"}}})
        hook = {"url": self.url, "secret": "s3cret", "headers": {"X-Extra": "1"}}
        self.server.change(webhook=hook)
        self.server.change(endpoints={"gate": {"content": {"minAppVersion": "2.0.0"}}})
        headers, body = self.received.get(timeout=5)
        expected = hmac.new(b"s3cret", body, hashlib.sha256).hexdigest()
        self.assertEqual(headers["x-microcms-signature"], expected)
        self.assertEqual((headers["Content-Type"], headers["X-Extra"]), ("application/json", "1"))
        event = json.loads(body)
        self.assertEqual(
            [event[key] for key in ("service", "api", "type")], ["example", "gate", "edit"])
        self.assertEqual(event["contents"]["old"]["publishValue"], {"minAppVersion": "1.0.0"})
        self.assertEqual(event["contents"]["new"]["status"], ["PUBLISH"])

    def test_invalid_signatures(self):
        self.server.change(webhook={"url": self.url, "secret": "s3cret"})
        for form in ("valid", "wrong", "upper-case", "prefixed", "cut", "empty", "absent"):
            done = self.server.control("POST", "/send", {"api": "gate", "signature": form})
            self.assertEqual(done["status"], 204)
            headers, body = self.received.get(timeout=5)
            right = hmac.new(b"s3cret", body, hashlib.sha256).hexdigest()
            given = headers["x-microcms-signature"]
            self.assertEqual(given == right, form == "valid")
            self.assertEqual(given is None, form == "absent")
            self.assertEqual(json.loads(body)["contents"], None)
        self.server.control("POST", "/send", {"body": "no JSON"})
        self.assertEqual(self.received.get(timeout=5)[1], b"no JSON")

    def test_an_unreachable_receiver_is_tried_once(self):
        self.receiver.stop()
        before = len(self.server.control("POST", "/deliveries"))
        self.server.change(webhook={"url": self.url})
        done = self.server.control("POST", "/send", {"api": "gate"})
        self.assertIsNone(done["status"])
        self.assertEqual(len(self.server.control("POST", "/deliveries")), before + 1)

    def test_no_webhook_is_sent_if_automatic_is_off(self):
        self.server.change(webhook={"url": self.url, "automatic": False})
        self.server.change(endpoints={"gate": {"content": {}}})
        with self.assertRaises(queue.Empty):
            self.received.get(timeout=0.2)


del ServerCase

if __name__ == "__main__":
    unittest.main()
