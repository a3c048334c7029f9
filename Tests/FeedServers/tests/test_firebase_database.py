import json
import socket
import time
import unittest
from urllib.parse import parse_qs, urlsplit

from signing import ServiceAccount
from support import HAS_OPENSSL, ServerCase

SCOPE = "https://www.googleapis.com/auth/firebase.database"
SCOPES = f"{SCOPE} https://www.googleapis.com/auth/userinfo.email"
DATA = {"version": "3.5.0", "minVersion": "3.2.0", "storeUrl": "https://example.com/アプリ"}


class Stream:
    """Reads events with a slow and simple parser."""

    def __init__(self, server, path, query="", port=None, **headers):
        self.connection = server.connect(port)
        headers = {"Accept": "text/event-stream", **headers}
        self.connection.request("GET", f"{path}.json{query}", headers=headers)
        # The connection object drops its socket if the response announces a close.
        self.socket = self.connection.sock
        self.response = self.connection.getresponse()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # The socket remains open while either of the two objects uses it.
        self.response.close()
        self.connection.close()

    def event(self):
        """Returns the name and the data of the next event; None at the end."""
        name, data = None, []
        while line := self.response.readline().decode():
            line = line.rstrip("\r\n")
            if not line:
                return name, json.loads("\n".join(data))
            key, _, value = line.partition(":")
            if key == "event":
                name = value.lstrip(" ")
            elif key == "data":
                data.append(value.lstrip(" "))
        return None


class DatabaseCase(ServerCase):
    name = "firebase-database"
    tls = True

    def setUp(self):
        super().setUp()
        self.server.state(data={"app": {"ios": DATA}})

    def act(self, action, **given):
        return self.server.control("POST", f"/{action}", given)

    def stream(self, path="/app/ios", query="", port=None, **headers):
        return Stream(self.server, path, query, port, **headers)


class ReadTests(DatabaseCase):
    def test_a_value_a_part_of_it_and_a_missing_one(self):
        for path, expected in {
            "/app/ios": DATA, "/app/ios/minVersion": "3.2.0", "/": {"app": {"ios": DATA}},
            "/none": None, "/app/ios/minVersion/x": None,
        }.items():
            reply = self.get(f"{path}.json")
            self.assertEqual((reply.status, reply.json()), (200, expected))
            self.assertEqual(reply.fields["Content-Type"], "application/json; charset=utf-8")

    def test_print_and_shallow(self):
        self.assertIn(b'\n  "version"', self.get("/app/ios.json?print=pretty").body)
        self.assertEqual(self.get("/app/ios.json?print=silent").status, 204)
        self.assertEqual(self.get("/app.json?shallow=true").json(), {"ios": True})
        reply = self.get("/app.json?shallow=true", X_Firebase_ETag="true")
        self.assertEqual(reply.status, 400)

    def test_an_etag_on_request(self):
        self.assertIsNone(self.get("/app.json").fields["ETag"])
        tag = self.get("/app.json", X_Firebase_ETag="true").fields["ETag"]
        same = self.get("/app.json", If_None_Match=tag)
        self.assertEqual((same.status, same.body), (304, b""))
        self.server.change(data={"app": {"ios": {**DATA, "minVersion": "3.3.0"}}})
        changed = self.get("/app.json", If_None_Match=tag)
        self.assertEqual(changed.status, 200)
        self.assertNotEqual(changed.fields["ETag"], tag)
        empty = self.get("/none.json", X_Firebase_ETag="true")
        self.assertEqual(empty.fields["ETag"], "null_etag")

    def test_the_forms_of_a_tag(self):
        self.server.change(etagForm="quoted", etag="always")
        self.assertRegex(self.get("/app.json").fields["ETag"], '^".*"$')
        self.server.change(etag="never")
        self.assertIsNone(self.get("/app.json", X_Firebase_ETag="true").fields["ETag"])

    def test_invalid_paths(self):
        self.assertEqual(self.get("/app").status, 404)
        self.assertEqual(self.get("/a$b.json").status, 400)
        self.server.change(exists=False)
        missing = self.get("/app.json")
        self.assertEqual((missing.status, missing.json()), (404, {"error": "404 Not Found"}))
        self.server.change(errorBody="html")
        self.assertEqual(self.get("/app.json").fields["Content-Type"], "text/html")
        self.server.change(errorBody="empty")
        self.assertEqual(self.get("/app.json").body, b"")

    def test_arrays(self):
        self.server.state(data={"list": ["a", None, "c"]})
        self.assertEqual(self.get("/list.json").json(), ["a", None, "c"])
        self.server.change(arrays="never")
        self.assertEqual(self.get("/list.json").json(), {"0": "a", "2": "c"})

    def test_writes_and_their_conditions(self):
        def write(method, path, value, query="?auth=legacy-secret", **headers):
            body = None if value is None else json.dumps(value)
            return self.server.request(f"{path}.json{query}", method, body, headers)

        self.assertEqual(write("PUT", "/app/x", 1, query="").status, 401)
        self.assertEqual(write("PUT", "/app/x", {"y": 1}).json(), {"y": 1})
        self.assertEqual(write("PATCH", "/app", {"x/y": 2, "z": None}).status, 200)
        self.assertEqual(self.get("/app/x.json").json(), {"y": 2})
        self.assertEqual(self.server.control("GET", "/state")["data"]["app"]["x"], {"y": 2})
        refused = write("PUT", "/app/x", 3, **{"If-Match": "wrong"})
        self.assertEqual((refused.status, refused.json()), (412, {"y": 2}))
        tag = refused.fields["ETag"]
        self.assertEqual(write("DELETE", "/app/x", None, **{"If-Match": tag}).json(), None)
        self.assertIsNone(self.get("/app/x.json").json())
        self.assertEqual(write("PATCH", "/app", [1]).status, 400)

    def test_rules_and_tokens(self):
        def error(query="", **headers):
            reply = self.get(f"/app.json{query}", **headers)
            return reply.json()["error"] if reply.status == 401 else reply.status

        self.assertEqual(error("?auth=wrong"), "Could not parse auth token.")
        self.assertEqual(error(Authorization="Bearer wrong"), "Unauthorized request.")
        self.assertEqual(error("?access_token=wrong"), "Unauthorized request.")
        self.server.change(idTokens=["id1"], expired=["old"], oauth={"accepted": ["ya29.x"]})
        self.assertEqual(error("?auth=old"), "Auth token is expired")
        for read, anonymous, known in [
            ("public", 200, 200), ("authenticated", "Permission denied", 200),
            ("denied", "Permission denied", "Permission denied"),
        ]:
            self.server.change(read=read)
            self.assertEqual(error(), anonymous)
            self.assertEqual(error("?auth=id1"), known)
            self.assertEqual(error("?auth=legacy-secret"), 200)
            self.assertEqual(error("?access_token=ya29.x"), 200)
            self.assertEqual(error(Authorization="Bearer ya29.x"), 200)

    def test_redirects_keep_or_lose_the_query(self):
        for form, expected in {
            "shard": {"auth": ["s"], "x": ["1"], "ns": ["example-default-rtdb"]},
            "kept": {"auth": ["s"], "x": ["1"]}, "dropped": {},
            "ns": {"ns": ["example-default-rtdb"]},
        }.items():
            self.server.change(redirect={"when": "always", "query": form})
            reply = self.get("/app.json?auth=s&x=1")
            location = urlsplit(reply.fields["Location"])
            self.assertEqual((reply.status, location.path), (307, "/app.json"))
            self.assertEqual(location.port, self.server.other_port)
            self.assertEqual(parse_qs(location.query), expected)
        there = self.server.request("/app.json", port=self.server.other_port)
        self.assertEqual(there.status, 200)

    def test_redirects_in_a_row(self):
        self.server.change(redirect={"when": "always", "hops": 3, "status": 302})
        target, port, seen = "/app.json", self.server.port, 0
        while (reply := self.server.request(target, port=port)).status == 302:
            location = urlsplit(reply.fields["Location"])
            target, port = f"{location.path}?{location.query}", location.port
            seen += 1
        self.assertEqual((seen, reply.status), (3, 200))


class StreamTests(DatabaseCase):
    def test_a_stream_starts_with_a_put_and_continues_with_writes(self):
        with self.stream() as stream:
            self.assertEqual(
                stream.response.headers["Content-Type"], "text/event-stream; charset=utf-8")
            self.assertEqual(stream.event(), ("put", {"path": "/", "data": DATA}))
            for (method, path, data), expected in [
                (("put", "/app/ios/minVersion", "3.3.0"),
                 ("put", {"path": "/minVersion", "data": "3.3.0"})),
                (("patch", "/app/ios", {"version": "3.6.0", "minVersion": None}),
                 ("patch", {"path": "/", "data": {"version": "3.6.0", "minVersion": None}})),
                (("patch", "/app/ios", {"a/b": 1}),
                 ("patch", {"path": "/", "data": {"a/b": 1}})),
                (("patch", "/app", {"ios/version": "4.0.0", "android": {"x": 1}}),
                 ("put", {"path": "/version", "data": "4.0.0"})),
                (("patch", "/app/ios/a", {"c": 2}), ("patch", {"path": "/a", "data": {"c": 2}})),
                (("put", "/app", {"ios": "gone"}), ("put", {"path": "/", "data": "gone"})),
                (("put", "/", None), ("put", {"path": "/", "data": None})),
            ]:
                self.act("write", method=method, path=path, data=data)
                self.assertEqual(stream.event(), expected)

    def test_writes_outside_the_path_are_not_sent(self):
        with self.stream() as stream:
            stream.event()
            self.act("write", path="/other", data=1)
            self.act("write", path="/app/ios/version", data="3.5.0")
            self.act("write", path="/app/ios/version", data="9.0.0")
            self.assertEqual(stream.event(), ("put", {"path": "/version", "data": "9.0.0"}))

    def test_deep_patches_in_each_form(self):
        for form, expected in {
            "puts": [("put", {"path": "/a/b", "data": 1}), ("put", {"path": "/c", "data": 2})],
            "whole": [("put", {"path": "/", "data": {**DATA, "a": {"b": 1}, "c": 2}})],
        }.items():
            self.server.state(data={"app": {"ios": DATA}}, deepPatch=form)
            with self.stream() as stream:
                stream.event()
                self.act("write", method="patch", path="/app/ios", data={"a/b": 1, "c": 2})
                self.assertEqual([stream.event() for _ in expected], expected)

    def test_a_new_state_is_sent_in_each_form(self):
        new = {"app": {"ios": {**DATA, "minVersion": "4.0.0"}}}
        for form, expected in {
            "narrow": ("put", {"path": "/minVersion", "data": "4.0.0"}),
            "patch": ("patch", {"path": "/", "data": {"minVersion": "4.0.0"}}),
            "whole": ("put", {"path": "/", "data": new["app"]["ios"]}),
        }.items():
            self.server.state(data={"app": {"ios": DATA}}, pushes=form)
            with self.stream() as stream:
                stream.event()
                self.server.change(data=new)
                self.assertEqual(stream.event(), expected)

    def test_every_form_of_events_has_the_same_content(self):
        for switches in [
            {"lineEnd": "crlf"}, {"space": False}, {"comments": True}, {"splitData": True},
            {"framing": "chunked"}, {"framing": "close"},
        ]:
            self.server.change(stream=switches, wire={"pieces": 1})
            with self.stream() as stream:
                self.assertEqual(stream.event(), ("put", {"path": "/", "data": DATA}), switches)
            self.server.state(data={"app": {"ios": DATA}})
        self.server.change(stream={"lineEnd": "cr", "framing": "close", "keepAlive": 0.1})
        with self.stream() as stream:
            start = stream.response.read(30)
            self.assertTrue(start.startswith(b'event: put\rdata: {"path":"/",'), start)

    def test_first_events(self):
        self.server.change(stream={"firstEvent": "keep-alive"})
        with self.stream() as stream:
            self.assertEqual(stream.event(), ("keep-alive", None))
            self.assertEqual(stream.event()[0], "put")
        self.server.change(stream={"firstEvent": "none", "unknownEvents": True})
        with self.stream() as stream:
            self.act("write", path="/app/ios/x", data=1)
            self.assertEqual(stream.event()[0], "rules_debug")
            self.assertEqual(stream.event(), ("put", {"path": "/x", "data": 1}))

    def test_keep_alives(self):
        self.server.change(stream={"keepAlive": 0.05})
        with self.stream() as stream:
            stream.event()
            for _ in range(3):
                self.assertEqual(stream.event(), ("keep-alive", None))

    def test_rules_that_deny_access_cancel_the_stream(self):
        with self.stream() as stream:
            stream.event()
            self.server.change(read="authenticated")
            self.assertEqual(stream.event(), ("cancel", None))
            self.assertIsNone(stream.event())
        denied = self.get("/app.json", Accept="text/event-stream")
        self.assertEqual((denied.status, denied.json()), (401, {"error": "Permission denied"}))

    def test_a_canceled_stream_may_stay_open(self):
        self.server.change(stream={"afterCancel": "stay", "keepAlive": 0.05})
        with self.stream() as stream:
            stream.event()
            self.server.change(read="denied")
            # On a busy machine, the stream is idle before it is canceled, too.
            event = stream.event()
            while event == ("keep-alive", None):
                event = stream.event()
            self.assertEqual(event, ("cancel", None))
            self.assertEqual(stream.event(), ("keep-alive", None))

    def test_revoked_credentials(self):
        self.server.change(read="denied")
        with self.stream(query="?auth=legacy-secret") as stream:
            stream.event()
            self.assertEqual(self.act("revoke", text="expired"), {"streams": 1})
            self.assertEqual(stream.event(), ("auth_revoked", "expired"))
            self.assertIsNone(stream.event())

    def test_arbitrary_events(self):
        with self.stream() as stream:
            stream.event()
            self.act("event", name="put", data={"path": "/", "data": 1})
            self.assertEqual(stream.event(), ("put", {"path": "/", "data": 1}))
            self.act("event", raw="event: x\ndata: 5\n\n")
            self.assertEqual(stream.event(), ("x", 5))

    def test_a_stalled_stream(self):
        self.server.change(stream={"keepAlive": 0.05})
        with self.stream() as stream:
            stream.event()
            stream.socket.settimeout(0.4)
            self.assertEqual(self.act("stall"), {"streams": 1})
            self.act("write", path="/app/ios/x", data=1)
            heard = []
            with self.assertRaises(socket.timeout):
                for _ in range(20):
                    heard.append(stream.event())
            self.assertNotIn(("put", {"path": "/x", "data": 1}), heard)

    def test_kinds_of_ends(self):
        self.server.change(stream={"framing": "chunked"})
        for how in ("close", "truncate", "reset"):
            with self.stream() as stream:
                self.assertEqual(stream.response.headers["Transfer-Encoding"], "chunked")
                stream.event()
                self.act("end", how=how)
                try:
                    self.assertIsNone(stream.event())
                except ConnectionResetError:
                    # Some versions of Python do not distinguish an RST below TLS from a normal end.
                    self.assertEqual(how, "reset")
        self.wait_for_streams(0)

    def test_the_stream_of_a_closed_client_is_removed(self):
        with self.stream() as stream:
            stream.event()
            self.wait_for_streams(1)
        self.wait_for_streams(0)

    def wait_for_streams(self, count):
        for _ in range(100):
            if self.act("count") == {"streams": count}:
                return
            time.sleep(0.02)
        self.fail(f"not {count} streams")

    def test_the_refuse_fault_cuts_the_stream(self):
        with self.stream() as stream:
            stream.event()
            self.server.fault("refuse")
            try:
                self.assertIsNone(stream.event())
            except ConnectionResetError:
                pass
            with self.assertRaises(ConnectionRefusedError):
                self.get("/app.json")

    def test_faults_affect_the_first_event(self):
        self.server.fault("stalled", times=1)
        with self.stream() as stream:
            stream.socket.settimeout(0.2)
            with self.assertRaises(socket.timeout):
                stream.event()
        self.server.fault("html", times=1)
        with self.stream() as stream:
            self.assertEqual(stream.response.headers["Content-Type"], "text/html; charset=utf-8")
        self.server.fault("not-utf8", times=1)
        with self.stream() as stream, self.assertRaises(UnicodeDecodeError):
            stream.event()
        self.server.fault("oversized", times=1)
        with self.stream() as stream:
            stream.event()
            self.assertEqual(stream.response.read(1 << 20), b":" * (1 << 20))

    def test_a_stream_after_a_redirect_to_another_host(self):
        self.server.change(redirect={"when": "streams"})
        self.assertEqual(self.get("/app.json").status, 200)
        moved = self.get("/app.json?auth=legacy-secret", Accept="text/event-stream")
        self.assertEqual(moved.status, 307)
        location = urlsplit(moved.fields["Location"])
        self.assertEqual(
            location.query, "auth=legacy-secret&ns=example-default-rtdb&sse=true")
        with self.stream("/app", f"?{location.query}", location.port, Accept="*/*") as stream:
            self.assertEqual(stream.event()[0], "put")

    def test_a_thousand_writes_arrive_in_order(self):
        with self.stream() as stream:
            stream.event()
            for number in range(1000):
                self.act("write", path="/app/ios/n", data=number)
            for number in range(1000):
                self.assertEqual(stream.event()[1]["data"], number)


@unittest.skipUnless(HAS_OPENSSL, "no openssl")
class ServiceAccountTests(DatabaseCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.account = ServiceAccount()

    def setUp(self):
        super().setUp()
        self.server.change(read="denied", oauth={"accounts": [self.account.file]})

    def test_a_service_account_bypasses_the_rules(self):
        reply = self.account.ask(self.server, SCOPES)
        self.assertEqual(reply.status, 200)
        token = reply.json()
        self.assertEqual((token["token_type"], token["expires_in"]), ("Bearer", 3599))
        self.assertTrue(token["access_token"].startswith("ya29."))
        bearer = {"Authorization": "Bearer " + token["access_token"]}
        self.assertEqual(self.server.request("/app.json", headers=bearer).status, 200)
        self.act("revoke")
        self.assertEqual(self.server.request("/app.json", headers=bearer).status, 401)

    def test_a_token_expires(self):
        lasting = self.account.access(self.server, SCOPES)
        self.server.change(oauth={"dies": 0})
        dead = self.account.access(self.server, SCOPES)
        self.assertEqual(self.server.request("/app.json", headers=dead).status, 401)
        self.assertEqual(self.server.request("/app.json", headers=lasting).status, 200)

    def test_a_token_with_another_scope(self):
        bearer = self.account.access(self.server, "https://www.googleapis.com/auth/other")
        self.assertEqual(self.server.request("/app.json", headers=bearer).status, 401)

    def test_invalid_assertions(self):
        now = int(time.time())
        stranger = ServiceAccount().signer
        for problem, expected in [
            ({"iss": "nobody"}, "account not found"),
            ({"signer": stranger}, "Invalid JWT Signature."),
            ({"header": {"kid": "other"}}, "Invalid JWT Signature."),
            ({"aud": "https://example.com/"}, "audience"),
            ({"iat": now + 900, "exp": now + 4000}, "reasonable"),
            ({"iat": now - 7200, "exp": now - 3600}, "reasonable"),
            ({"exp": now + 7200}, "reasonable"),
            ({"exp": None}, "reasonable"),
        ]:
            reply = self.account.ask(self.server, SCOPES, **problem)
            self.assertEqual(reply.status, 400)
            self.assertEqual(reply.json()["error"], "invalid_grant")
            self.assertIn(expected, reply.json()["error_description"])
        self.assertEqual(self.account.ask(self.server, "").json()["error"], "invalid_scope")
        grant = self.account.ask(self.server, SCOPES, grant="password").json()
        self.assertEqual(grant["error"], "unsupported_grant_type")

    def test_the_url_of_the_server_is_an_audience(self):
        reply = self.account.ask(self.server, SCOPES, aud=f"{self.server.origin}/token")
        self.assertEqual(reply.status, 200)

    def test_the_signature_check_can_be_switched_off(self):
        self.server.change(oauth={"verify": False})
        reply = self.account.ask(self.server, SCOPES, signer=ServiceAccount().signer)
        self.assertEqual(reply.status, 200)


del ServerCase, DatabaseCase

if __name__ == "__main__":
    unittest.main()
