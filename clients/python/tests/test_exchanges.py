import json
import struct
import unittest
import urllib.error
import urllib.request
from email.message import Message
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

from support import ROOT, Server

from versiongate import (
    Allowed, GateDenied, Unknown, VersionGate, hint, inspect, read_events, read_status,
)
from versiongate.states import UPDATE, Facts, Required, from_wire, wire

WIRE = ROOT / "docs" / "wire"
EXCHANGES = sorted((WIRE / "exchanges").glob("*.json"))


def answer(status=200, fields=(), url="https://gate.example/"):
    headers = Message()
    for name, value in fields:
        headers[name] = value
    return SimpleNamespace(status=status, headers=headers, url=url)


def content(exchange):
    response = exchange["response"]
    if "json" in response:
        body = json.dumps(response["json"]).encode()
    else:
        body = response.get("body", "").encode()
    if "envelopeFlags" in response:
        body = struct.pack(">BI", response["envelopeFlags"], len(body)) + body
    return body


def serve(exchange, asked):
    """Returns a function that responds as in an exchange, and collects the requests."""
    response, method = exchange["response"], exchange["request"]["method"]

    def answer(handler):
        asked.append(f"{handler.command} {handler.path}")
        status, fields, body = response["status"], response["fields"], content(exchange)
        # A 304 needs an earlier response.
        if status == 304 and len(asked) == 1:
            fields = [*fields, ("Content-Type", "application/json")]
            status, body = 200, b'{"decision":"allow"}'
        handler.send_response_only(status)
        for name, value in fields:
            handler.send_header(name, value)
        if status not in (204, 304):
            handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        if method != "HEAD" and status not in (204, 304):
            handler.wfile.write(body)

    return answer


def hear(exchange, gate, base):
    """Returns what the client reads from a response over a socket."""
    request, meant, heard = exchange["request"], exchange["client"], {}
    if "denial" in meant:
        asked = urllib.request.Request(base + request["target"], method=request["method"])
        try:
            try:
                passed = gate.urlopen(asked)
            except urllib.error.HTTPError as error:
                passed = error
            with passed:
                heard["denial"] = None
                if "hint" in meant:
                    heard["hint"] = wire(hint(passed))
        except GateDenied as denied:
            heard["denial"] = wire(denied.denial)
    if "states" in meant:
        states = gate.states()
        heard["states"] = [wire(next(states)) for _ in meant["states"]]
        states.close()
    if "state" in meant:
        query = parse_qs(urlsplit(request["target"]).query)
        state = gate.check(*(query[name][0] for name in ["path", "method"] if name in query))
        heard["state"] = wire(state)
        if state == Unknown(None):
            heard["state"].pop("last", None)
    return heard


class Exchanges(unittest.TestCase):
    def test_all_are_read_as_they_say(self):
        self.assertGreater(len(EXCHANGES), 40)
        for path in EXCHANGES:
            exchange = json.loads(path.read_text("utf-8"))
            response = exchange["response"]
            given = answer(
                response["status"], response["fields"],
                "https://gate.example" + exchange["request"]["target"],
            )
            body = content(exchange)
            text = body.decode(errors="replace")
            readers = {
                "denial": lambda: wire(inspect(given, body)),
                "hint": lambda: wire(hint(given)),
                "state": lambda: wire(read_status(given, body)),
                "states": lambda: [wire(state) for state in read_events(text)],
            }
            read = {key: readers[key]() for key in exchange["client"]}
            with self.subTest(path.name):
                self.assertEqual(read, exchange["client"])
                if "denial" in exchange["client"]:
                    self.assertEqual(wire(inspect(given, text)), exchange["client"]["denial"])

    def test_all_are_heard_over_a_socket_as_they_say(self):
        for path in EXCHANGES:
            exchange, asked = _load(path), []
            request, meant = exchange["request"], exchange["client"]
            with self.subTest(path.name), Server(serve(exchange, asked)) as other:
                gate = VersionGate(other.url, {"platform": "ios", "version": "3.4.9"})
                if meant.get("state") == {"state": "unchanged"}:
                    self.assertEqual(gate.check(), Allowed())
                    meant = {"state": wire(Allowed())}
                self.assertEqual(hear(exchange, gate, other.url), meant)
                if "state" not in meant:
                    self.assertEqual(asked[0], f"{request['method']} {request['target']}")

    def test_states_survive_their_storage(self):
        for path in EXCHANGES:
            for state in json.loads(path.read_text("utf-8"))["client"].get("states", []):
                self.assertEqual(wire(from_wire(state)), state)

    def test_an_answer_of_the_gates_own_folder_is_no_denial(self):
        for url in ["https://a.example/.versiongate/status?path=/a", "/.versiongate/status"]:
            given = answer(200, [("X-VersionGate", "require")], url)
            self.assertIsNone(inspect(given))
            self.assertIsNone(hint(given))

    def test_an_end_of_a_stream_that_cannot_be_read_has_no_facts(self):
        fields = [("X-VersionGate", "require"), ("Content-Type", "application/connect+proto")]
        document = b'{"type":"urn:versiongate:upgrade-required","title":"t"}'
        good = b"\x02\0\0\0\x37" + document
        given = answer(200, fields)
        self.assertEqual(inspect(given, good), Required(Facts.read({"title": "t"}, UPDATE)))
        for body in [
            b"", None, "", b"\x02", b"\x02\0\0\0", b"\x02\0\0\0\0", document, b"\0" + good[1:],
            good[:-1], good + b"}", b"\x02\0\0\0\x04null",
        ]:
            with self.subTest(body):
                self.assertEqual(inspect(given, body), Required(Facts.read(None, UPDATE)))

    def test_members_without_the_type_are_the_operators(self):
        for kind in ["application/json", "application/graphql-response+json"]:
            given = answer(426, [("X-VersionGate", "require"), ("Content-Type", kind)])
            for document in [
                '{"title":"t"}', '{"type":"about:blank","title":"t"}', '{"type":[],"title":"t"}',
                '["type"]',
            ]:
                self.assertEqual(inspect(given, document), Required(Facts.read(None, UPDATE)))

    def test_a_field_that_cannot_be_read_is_no_hint(self):
        for field in [
            "", " ", ",", "recommend,", "recommend;", "recommend; latest=",
            'recommend; latest="a\u00e9"', "recommend;Latest=1", "(recommend", "=", '"recommend"',
            "1", "?2", "recommend require", ":x", "@",
        ]:
            with self.subTest(field):
                self.assertIsNone(hint(answer(200, [("X-VersionGate", field)])))


class Contract(unittest.TestCase):
    """Tests that the files of docs/wire are consistent."""

    def test_the_exchanges_keep_to_their_schemas(self):
        from jsonschema import Draft202012Validator

        validators = {}
        for name in ["denial", "status", "exchange"]:
            schema = json.loads((WIRE / f"{name}.schema.json").read_text("utf-8"))
            Draft202012Validator.check_schema(schema)
            validators[name] = Draft202012Validator(schema)
        seen = set()
        for path in EXCHANGES:
            exchange = json.loads(path.read_text("utf-8"))
            documents = [("exchange", exchange)]
            document = exchange["response"].get("json")
            if exchange["by"] == "gate" and isinstance(document, dict):
                if str(document.get("type")).startswith("urn:versiongate:"):
                    documents.append(("denial", document))
                if "decision" in document:
                    documents.append(("status", document))
            for name, value in documents:
                seen.add(name)
                with self.subTest(path.name, schema=name):
                    errors = [error.message for error in validators[name].iter_errors(value)]
                    self.assertEqual(errors, [])
        self.assertEqual(seen, {"denial", "status", "exchange"})

    def test_every_reference_of_the_openapi_document_leads_somewhere(self):
        document = json.loads((WIRE / "openapi.json").read_text("utf-8"))
        found = 0
        stack = [document]
        while stack:
            node = stack.pop()
            if isinstance(node, list):
                stack += node
            if not isinstance(node, dict):
                continue
            stack += node.values()
            if "$ref" in node:
                found += 1
                file, _, pointer = node["$ref"].partition("#")
                target = json.loads((WIRE / file).read_text("utf-8")) if file else document
                for part in pointer.split("/")[1:]:
                    target = target[part.replace("~1", "/")]
        self.assertGreater(found, 10)
        paths = {path["request"]["target"].partition("?")[0] for path in map(_load, EXCHANGES)}
        asked = {path for path in paths if path.startswith("/.versiongate/")}
        self.assertEqual(asked - document["paths"].keys(), {"/.versiongate/else"})

    def test_the_openapi_document_is_one(self):
        document = json.loads((WIRE / "openapi.json").read_text("utf-8"))
        self.assertEqual(document["openapi"], "3.1.0")
        for path in document["paths"].values():
            for operation in path.values():
                self.assertTrue({"operationId", "summary", "responses"} <= operation.keys())


def _load(path):
    return json.loads(path.read_text("utf-8"))


if __name__ == "__main__":
    unittest.main()
