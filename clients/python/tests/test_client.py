import json
import socket
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from support import Gate, Server, moment, reply, rules

from versiongate import (
    Allowed, FileStorage, GateDenied, Maintenance, Recommended, Required, Unknown, VersionGate,
    hint,
)
from versiongate.states import Facts, parse_time, wire

IDENTITY = {"app": "com.example.shop", "platform": "ios", "version": "3.4.9", "language": "en"}
# The discard port, on which no server listens.
NOWHERE = "http://127.0.0.1:9"


class Memory:
    def __init__(self, text=None):
        self.text = text

    def load(self):
        return self.text

    def save(self, text):
        self.text = text


class WithGate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.gate = Gate(rules("3.5.0"))
        cls.addClassCleanup(cls.gate.end)

    def client(self, **options):
        return VersionGate(self.gate.url, IDENTITY, **options)


class Requests(WithGate):
    def test_a_denied_request_raises_and_says_all_that_the_gate_says(self):
        self.gate.change(rules("3.5.0"))
        for request in ["/orders", urllib.request.Request(self.gate.url + "/orders", b"x")]:
            with self.assertRaises(GateDenied) as raised:
                self.client().urlopen(request)
            denied = raised.exception
            self.assertEqual(denied.denial.update.minimum_version, "3.5.0")
            self.assertEqual(denied.denial.update.store_url, "https://example.com/app")
            self.assertEqual(str(denied), denied.denial.update.message)
            self.assertEqual(denied.response.status, 426)
        head = urllib.request.Request(self.gate.url + "/orders", method="HEAD")
        with self.assertRaises(GateDenied) as raised:
            self.client().urlopen(head)
        self.assertEqual(raised.exception.denial, Required(Facts()))

    def test_a_status_of_the_operators_own_is_a_denial_too(self):
        for status in [403, 200]:
            self.gate.change(rules("3.5.0", f"    status: {status}\n"))
            with self.assertRaises(GateDenied) as raised:
                self.client().urlopen("/orders")
            self.assertEqual(raised.exception.denial.update.minimum_version, "3.5.0")

    def test_a_request_that_passes_has_the_identity_and_its_answer_is_whole(self):
        self.gate.change(rules("3.4.0"))
        request = urllib.request.Request(self.gate.url + "/a", headers={"X-App-Version": "3.4.8"})
        echo = json.load(self.client().urlopen(request))
        self.assertEqual(echo["target"], "/a")
        self.assertEqual(echo["headers"]["x-app-version"], "3.4.8")
        self.assertEqual(echo["headers"]["x-app-platform"], "ios")
        foreign = json.load(self.client().urlopen(self.gate.backend.url + "/a"))
        self.assertNotIn("x-app-version", foreign["headers"])

    def test_the_problems_of_others_are_passed_on_whole(self):
        body = b'{"type":"about:blank","title":"Upgrade Required","status":426}'
        with Server(reply(426, body, Content_Type="application/problem+json")) as other:
            with self.assertRaises(urllib.error.HTTPError) as raised:
                VersionGate(other.url, IDENTITY).urlopen("/a")
            self.assertEqual(raised.exception.read(), body)
            self.assertEqual(raised.exception.code, 426)
        with Server(reply(200, body, Content_Type="application/problem+json")) as other:
            passed = VersionGate(other.url, IDENTITY).urlopen("/a")
            self.assertEqual(passed.read(), body)
            self.assertEqual(passed.status, 200)


class Questions(WithGate):
    def test_warned_brownout_maintenance_allowed(self):
        client = self.client()
        plan = f"    warnFrom: {moment(-60)}\n    enforceFrom: {moment(86_400)}\n"
        self.gate.change(rules("3.5.0", plan))
        warned = client.check()
        self.assertIsInstance(warned, Recommended)
        self.assertEqual(warned.update.latest_version, "3.5.0")
        self.assertGreater(parse_time(warned.update.enforce_from).timestamp(), time.time())
        passed = client.urlopen("/a")
        self.assertEqual(passed.status, 200)
        self.assertIsInstance(hint(passed), Recommended)
        self.assertEqual(hint(passed).update.enforce_from, warned.update.enforce_from)

        brownout = f"    brownouts: [{{ from: {moment(-60)}, until: {moment(600)} }}]\n"
        self.gate.change(rules("3.5.0", plan + brownout))
        denied = client.check()
        self.assertIsInstance(denied, Required)
        self.assertGreater(parse_time(denied.update.brownout_until).timestamp(), time.time())
        with self.assertRaises(GateDenied) as raised:
            client.urlopen("/a")
        self.assertIn(raised.exception.denial.update.retry_after_seconds, range(1, 601))

        self.gate.change(rules("3.4.0", (
            "  - id: moving\n    match: { path: /archive/** }\n"
            f"    maintenance: {{ from: {moment(-60)}, until: {moment(600)} }}\n"
        )))
        self.assertEqual(client.check(), Allowed())
        moving = client.check("/archive/1", method="GET")
        self.assertIsInstance(moving, Maintenance)
        self.assertGreater(parse_time(moving.window.maintenance_until).timestamp(), time.time())
        with self.assertRaises(GateDenied) as raised:
            client.urlopen("/archive/1")
        until = raised.exception.denial.window.maintenance_until
        self.assertEqual(until, moving.window.maintenance_until)
        # A requirement for a part of the API does not affect the state of the app.
        self.assertEqual(client.check(), Allowed())

    def test_a_status_that_has_not_changed_is_not_sent_again(self):
        asked = []

        def answer(handler):
            asked.append(handler.headers["If-None-Match"])
            if asked[-1] is None:
                body = b'{"decision":"allow"}'
                return reply(200, body, Content_Type="application/json", ETag='"1"')(handler)
            reply(304, ETag='"1"')(handler)

        with Server(answer) as gate:
            client = VersionGate(gate.url, IDENTITY)
            self.assertEqual([client.check(), client.check()], [Allowed(), Allowed()])
        self.assertEqual(asked, [None, '"1"'])
        # The real gate supports entity tags as well.
        client = self.client()
        self.assertEqual(client.check(), client.check())

    def test_a_cached_denial_is_only_the_last_one_known_and_is_lifted(self):
        self.gate.change(rules("3.5.0"))
        with tempfile.TemporaryDirectory() as folder:
            storage = FileStorage(Path(folder) / "state.json")
            required = self.client(storage=storage).check()
            self.assertIsInstance(required, Required)
            later = VersionGate(NOWHERE, IDENTITY, storage=storage)
            self.assertEqual(later.check(), Unknown(required))
            # There is no stored state for another build.
            updated = VersionGate(NOWHERE, IDENTITY | {"version": "3.5.0"}, storage=storage)
            self.assertEqual(updated.check(), Unknown(None))
            self.gate.change(rules("3.4.0"))
            self.assertEqual(self.client(storage=storage).check(), Allowed())
            after = VersionGate(NOWHERE, IDENTITY, storage=storage)
            self.assertEqual(after.check(), Unknown(Allowed()))

    def test_a_recommendation_is_put_off_for_its_time_and_its_version_a_requirement_never(self):
        def recommended(version):
            return rules("1.0", f'    recommended: "{version}"\n    snooze: 1h\n')

        self.gate.change(recommended("4.0.0"))
        now = [time.time()]
        storage = Memory()
        client = self.client(storage=storage, clock=lambda: now[0])
        update = client.check().update
        self.assertEqual(update.snooze_seconds, 3600)
        self.assertTrue(client.snooze(update))
        self.assertEqual(client.check(), Allowed())
        again = self.client(storage=storage, clock=lambda: now[0])
        self.assertEqual(again.check(), Allowed())
        now[0] += 3599
        self.assertEqual(client.check(), Allowed())
        now[0] += 1
        self.assertIsInstance(client.check(), Recommended)
        self.assertTrue(client.snooze(update))
        self.gate.change(recommended("4.1.0"))
        self.assertEqual(client.check().update.latest_version, "4.1.0")
        self.gate.change(rules("3.5.0"))
        required = client.check()
        self.assertFalse(client.snooze(required.update))
        self.assertEqual(client.check(), required)


class Streams(WithGate):
    def test_a_live_change_is_told_and_lifts_by_itself(self):
        self.gate.change(rules("3.4.0"))
        states = self.client().states()
        self.assertEqual(next(states), Allowed())
        self.gate.change(rules("3.5.0"))
        self.assertIsInstance(next(states), Required)
        self.gate.change(rules("3.4.0"))
        self.assertEqual(next(states), Allowed())
        states.close()

    def test_a_maintenance_of_everything_is_told_and_lifts_by_itself(self):
        window = f"  - id: moving\n    maintenance: {{ from: {moment(-60)}, until: {moment(600)} }}\n"
        self.gate.change(rules("3.4.0"))
        client = self.client()
        states = client.states()
        self.assertEqual(next(states), Allowed())
        self.gate.change(rules("3.4.0", window))
        told = next(states)
        self.assertIsInstance(told, Maintenance)
        self.assertGreater(parse_time(told.window.maintenance_until).timestamp(), time.time())
        self.assertEqual(client.check(), told)
        with self.assertRaises(GateDenied) as raised:
            client.urlopen("/a")
        self.assertIn(raised.exception.denial.window.retry_after_seconds, range(1, 601))
        self.gate.change(rules("3.4.0"))
        self.assertEqual(next(states), Allowed())
        self.assertEqual(client.urlopen("/a").status, 200)
        states.close()

    def test_a_cached_denial_is_no_denial_behind_a_portal_and_the_stream_lifts_it(self):
        self.gate.change(rules("3.5.0"))
        storage = Memory()
        required = self.client(storage=storage).check()
        self.assertIsInstance(required, Required)
        # The app restarts behind a captive portal.
        self.gate.stop()
        page = b"<html>Log in</html>"
        html = reply(200, page, Content_Type="text/html")
        with Server(html) as login:
            elsewhere = reply(302, Location=login.url)

            def portal(handler):
                (html if handler.path == "/page" else elsewhere)(handler)

            with Server(portal, self.gate.port):
                client = self.client(storage=storage, chance=lambda: 0)
                states = client.states()
                self.assertEqual(next(states), Unknown(required))
                self.assertEqual(client.check(), Unknown(required))
                # The portal's page is returned to the app.
                for path in ["/page", "/redirected"]:
                    self.assertEqual(client.urlopen(path).read(), page)
        self.gate.write(rules("3.4.0"))
        self.gate.run()
        self.assertEqual(next(states), Allowed())
        states.close()
        again = VersionGate(NOWHERE, IDENTITY, storage=storage)
        self.assertEqual(again.check(), Unknown(Allowed()))

    def test_a_brownout_ends_by_its_date(self):
        until = moment(3)
        self.gate.change(rules("3.5.0", (
            f"    warnFrom: {moment(-60)}\n    enforceFrom: {moment(86_400)}\n"
            f"    brownouts: [{{ from: {moment(-60)}, until: {until} }}]\n"
        )))
        states = self.client().states()
        self.assertEqual(next(states).update.brownout_until, until)
        self.assertIsInstance(next(states), Recommended)
        states.close()

    def test_offline_is_no_denial_and_a_stream_comes_back_by_itself(self):
        self.gate.change(rules("3.5.0"))
        client = self.client(storage=Memory(), chance=lambda: 0)
        states = client.states()
        required = next(states)
        self.assertIsInstance(required, Required)
        self.gate.stop()
        self.assertEqual(next(states), Unknown(required))
        self.assertEqual(client.check(), Unknown(required))
        with self.assertRaises(urllib.error.URLError):
            client.urlopen("/a")
        self.gate.run()
        # The last state is delivered first.
        self.assertEqual(next(states), required)
        self.gate.change(rules("3.4.0"))
        self.assertEqual(next(states), Allowed())
        states.close()

    def test_a_stream_ends_when_it_is_stopped(self):
        stop = threading.Event()
        states = self.client().states(stop)
        next(states)
        stop.set()
        self.gate.stop()
        self.assertEqual(list(states), [])
        self.gate.run()


class InBetween(unittest.TestCase):
    """Tests with servers that respond instead of the gate."""

    def assertUnknown(self, answer):
        with Server(answer) as other:
            client = VersionGate(other.url, IDENTITY, timeout=5, patience=5)
            self.assertEqual(client.check(), Unknown(None))
            states = client.states()
            self.assertEqual(next(states), Unknown(None))
            states.close()

    def test_captive_portals_and_garbage_are_unknown(self):
        page = b"<html>Log in</html>"
        status = reply(200, b'{"decision":"require"}', Content_Type="application/json")
        with Server(status) as else_where:
            for name, answer in {
                "page": reply(200, page, Content_Type="text/html"),
                "redirect": reply(302, Location=else_where.url),
                "temporary redirect": reply(307, Location=else_where.url + "/.versiongate/status"),
                "network authentication": reply(511, page, Content_Type="text/html"),
                "upgrade": reply(426, Upgrade="h2c"),
                "garbage": reply(200, b'{"decision":', Content_Type="application/json"),
                "bytes": reply(200, b"\xff\xfe\x00", Content_Type="application/json"),
                "deep": reply(200, b"[" * 100_000, Content_Type="application/json"),
                "nothing": reply(204),
                "a loss": lambda handler: handler.connection.shutdown(socket.SHUT_RDWR),
                "no HTTP": lambda handler: handler.wfile.write(b"SSH-2.0-x\r\n"),
            }.items():
                with self.subTest(name):
                    self.assertUnknown(answer)

    def test_who_is_too_slow_is_unknown_in_time(self):
        end = threading.Event()

        def drops(handler):
            handler.send_response(200)
            handler.send_header("Content-Type", "application/json")
            handler.end_headers()
            while not end.wait(0.02):
                handler.wfile.write(b" ")

        for answer in [lambda _: end.wait(30), drops]:
            with Server(answer) as other:
                begun = time.monotonic()
                client = VersionGate(other.url, IDENTITY, timeout=0.2)
                self.assertEqual(client.check(), Unknown(None))
                self.assertLess(time.monotonic() - begun, 5)
        end.set()

    def test_a_stream_without_a_sign_of_life_is_left(self):
        end = threading.Event()

        def answer(handler):
            handler.send_response(200)
            handler.send_header("Content-Type", "text/event-stream")
            handler.end_headers()
            event = b'id: 1\nevent: decision\ndata: {"decision":"allow"}\n\n'
            handler.wfile.write(b"retry: 1\n\n" + event)
            end.wait(30)

        with Server(answer) as other:
            states = VersionGate(other.url, IDENTITY, patience=0.2).states()
            told = [next(states) for _ in range(3)]
            self.assertEqual(told, [Allowed(), Unknown(Allowed()), Allowed()])
            states.close()
            end.set()

    def test_half_an_event_is_forgotten_with_its_stream(self):
        asked = []

        def answer(handler):
            asked.append(handler.headers.get("Last-Event-ID"))
            handler.send_response(200)
            handler.send_header("Content-Type", "text/event-stream")
            handler.end_headers()
            if len(asked) == 1:
                handler.wfile.write(
                    b'retry: 1\nid: 1\nevent: decision\ndata: {"decision":"allow"}\n\n'
                    b'id: 2\nevent: decision\ndata: {"decision":"require"}\n'
                )
            else:
                handler.wfile.write(
                    b'\nid: 3\nevent: decision\ndata: {"decision":"recommend"}\n\n'
                )

        with Server(answer) as other:
            states = VersionGate(other.url, IDENTITY).states()
            told = [type(next(states)) for _ in range(2)]
            states.close()
        self.assertEqual(told, [Allowed, Recommended])
        self.assertEqual(asked[:2], [None, "1"])

    def test_a_stream_that_never_ends_its_event_is_left(self):
        def answer(handler):
            handler.send_response(200)
            handler.send_header("Content-Type", "text/event-stream")
            handler.end_headers()
            while True:
                handler.wfile.write(b"data: " + b"x" * 60_000 + b"\n")

        with Server(answer) as other:
            states = VersionGate(other.url, IDENTITY).states()
            self.assertEqual(next(states), Unknown(None))
            states.close()

    def test_the_pause_before_the_next_try_grows_and_has_chance_in_it(self):
        client = VersionGate(NOWHERE, IDENTITY, chance=lambda: 1)
        pauses = [client._pause(2, failures) for failures in range(8)]
        self.assertEqual(pauses, [3, 3, 6, 12, 24, 48, 90, 90])
        self.assertEqual(client._pause(100, 50), 150)

    def test_a_storage_with_anything_else_in_it_says_nothing(self):
        key = ["com.example.shop", "ios", "3.4.9", None]
        for text in ["", "{", "[]", "null", '{"identity":7}', json.dumps(
            {"identity": key, "state": {"state": 7}, "snoozed": [1, "x"]}
        )]:
            with self.subTest(text):
                client = VersionGate(NOWHERE, IDENTITY, storage=Memory(text))
                self.assertEqual(client.check(), Unknown(None))

    def test_a_storage_that_fails_harms_nothing(self):
        storage = FileStorage("/nonexistent/state.json")
        with Server(reply(200, b'{"decision":"allow"}', Content_Type="application/json")) as gate:
            self.assertEqual(VersionGate(gate.url, IDENTITY, storage=storage).check(), Allowed())

    def test_a_cached_denial_that_has_ended_by_itself_is_none(self):
        end = "2026-12-20T03:00:00Z"
        key = ["com.example.shop", "ios", "3.4.9", None]
        for state in [
            Required(Facts(brownout_until=end)), Maintenance(Facts(maintenance_until=end)),
        ]:
            storage = Memory(json.dumps({"identity": key, "state": wire(state)}))
            for seconds, last in [(-1, state), (0, None)]:
                now = parse_time(end).timestamp() + seconds
                client = VersionGate(NOWHERE, IDENTITY, storage=storage, clock=lambda: now)
                self.assertEqual(client.check(), Unknown(last))


if __name__ == "__main__":
    unittest.main()
