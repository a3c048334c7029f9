"""Tests the comparison of decisions: the authorization requests, the checks of responses, the targets, and the page."""

import contextlib
import http.server
import sys
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from decide import answers, authorization, gateways, report, targets  # noqa: E402
from decide.scenarios import NO_AUTHORIZER, faulty_lengths  # noqa: E402
from sidebyside import sections  # noqa: E402
from sidebyside.answers import WrongAnswer  # noqa: E402
from sidebyside.candidates import fill  # noqa: E402
from sidebyside.run import Column, Run  # noqa: E402

DENIAL = (
    b'{"title":"Update","message":"Please","storeUrl":"https://example.com","minimumVersion":"3.5.0",'
    b'"currentVersion":"%s"}'
)


def runs(figure, *values):
    return [Run({figure: each}) for each in values]


def outdated(version):
    return version.startswith("2.") or version == "3.4.9"


@contextlib.contextmanager
def authorizer(is_outdated=outdated, denial=DENIAL, allowed_body=b""):
    """Serves decisions on the port that it returns."""
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            version = self.headers["X-App-Version"]
            is_denied = is_outdated(version)
            body = denial.replace(b"%s", version.encode()) if is_denied else allowed_body
            self.send_response(426 if is_denied else 200)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Type", "application/problem+json")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()


class GatewayTests(unittest.TestCase):
    def test_every_placeholder_has_a_value(self):
        for gateway in (gateways.nginx(), gateways.envoy()):
            values = gateway.values(backend_port=1, authorizer_port=None)
            for template in gateway.templates:
                with self.subTest(template=template.name):
                    fill(template.read_text(), values)


class AuthorizationRequests(unittest.TestCase):
    def test_the_message_has_the_fields_of_envoy(self):
        attributes = authorization.fields_of(authorization.fields_of(authorization.check_request("4.2.0"))[1])
        self.assertEqual(set(attributes), {1, 2, 4, 11, 13})
        described = authorization.fields_of(authorization.fields_of(attributes[4])[2])
        self.assertEqual(described[2], b"GET")
        self.assertEqual(described[4], b"/v2/items/48213")
        # Sorted by name, the last field is the request's id; the version is in one of the others.
        self.assertEqual(authorization.fields_of(described[3])[1], b"x-request-id")
        self.assertIn(b"\n\rx-app-version\x12\x054.2.0", authorization.check_request("4.2.0"))

    def test_numbers_of_several_bytes_come_back(self):
        for value in (0, 127, 128, 300, 1_793_000_000, 2**63):
            self.assertEqual(authorization.fields_of(authorization.number(3, value)), {3: value})

    def test_a_message_that_is_cut_short_is_an_error(self):
        message = authorization.check_request("4.2.0")
        for length in (1, 2, 100, len(message) - 1):
            with self.assertRaises(ValueError):
                authorization.fields_of(message[:length])

    def test_heads_differ_and_describe_a_request(self):
        for denied in (False, True):
            heads = authorization.authorization_requests(denied)
            self.assertEqual(len(set(heads)), len(heads))
            for each in heads:
                self.assertTrue(each.startswith(b"GET /decide HTTP/1.1\r\n"))
                self.assertEqual(each.count(b"\r\n"), 19)
                self.assertIn(b"\r\nX-Forwarded-Uri: /v2/items/", each)


class Answers(unittest.TestCase):
    def test_right_decisions_are_no_fault(self):
        with authorizer() as port:
            answers.check_http(port)

    def test_every_wrong_decision_is_found(self):
        for name, more in {
            "an outdated build is allowed": {"is_outdated": lambda version: version == "3.4.9"},
            "versions are compared as strings": {"is_outdated": lambda version: version < "3.5.0"},
            "a denial names another version": {"denial": DENIAL.replace(b"%s", b"1.0")},
            "a denial is no JSON": {"denial": b"no"},
            "a denial lacks the store": {"denial": DENIAL.replace(b"storeUrl", b"store")},
            "an allowed build gets a body": {"allowed_body": b"welcome"},
        }.items():
            with self.subTest(name), authorizer(**more) as port, self.assertRaises(WrongAnswer):
                answers.check_http(port)

    def test_responses_of_another_length_are_found(self):
        self.assertEqual(faulty_lengths("1.07KB (1100) data", 100, 11), [])
        # The last responses of a run may be cut off.
        self.assertEqual(faulty_lengths("1.07KB (1143) data", 100, 11), [])
        for data in (0, 1_099, 5_000):
            self.assertEqual(len(faulty_lengths(f"1KB ({data}) data", 100, 11)), 1)


class Targets(unittest.TestCase):
    def test_costs_are_compared_round_by_round(self):
        rows = {"versiongate": runs("cpu_microseconds", 4, 40, 5), "go-http": runs("cpu_microseconds", 10, 100, 10)}
        self.assertEqual(targets.cost_ratio(rows, "go-http"), (0.4, "0.40..0.50"))

    def test_added_times_are_compared_by_their_medians(self):
        rows = {
            NO_AUTHORIZER: runs("p99", 100, 200, 100),
            "versiongate": runs("p99", 150, 260, 900),
            "go-http": runs("p99", 200, 320, 190),
        }
        self.assertEqual(targets.added_ratio(rows, "go-http"), (0.6, "+60 µs to +100 µs"))

    def test_a_round_with_faults_is_not_counted(self):
        wrong = Run({"p99": 1}, ("5 wrong responses",))
        rows = {
            NO_AUTHORIZER: runs("p99", 100, 100), "versiongate": [*runs("p99", 150), wrong],
            "go-http": runs("p99", 200, 300),
        }
        self.assertEqual(targets.added(rows, "versiongate", "p99"), [50])
        rows[NO_AUTHORIZER] = [wrong, wrong]
        self.assertIsNone(targets.added_ratio(rows, "go-http"))

    def test_no_figures_are_no_met_target(self):
        for target in targets.TARGETS:
            self.assertFalse(report.is_met(target, None))
            self.assertFalse(report.is_met(target, (target.limit + 0.01, "")))
            self.assertTrue(report.is_met(target, (target.limit, "")))


class Scenario:
    """A scenario without a load generator."""

    def __init__(self, name, *columns):
        self.name, self.title, self.columns, self.reference = name, name, columns, "go-http"


class Report(unittest.TestCase):
    def test_it_starts_with_the_targets(self):
        results = {
            Scenario("http-allowed", Column("CPU", "cpu_microseconds")): {
                "versiongate": runs("cpu_microseconds", 4), "go-http": runs("cpu_microseconds", 10),
                "nginx-lua": runs("cpu_microseconds", 4),
            },
            Scenario("nginx-added"): {
                NO_AUTHORIZER: [Run({"p50": 100, "p99": 200})], "versiongate": [Run({"p50": 130, "p99": 250})],
                "go-http": [Run.failed("the server has ended")],
            },
        }
        text = report.section(results, ["Machine: some."], "command")
        self.assertRegex(text, r"allowed: CPU, ratio to go-http +\| +0\.40 \| +0\.40\.\.0\.40 \| ≤ 0\.50 \| yes \|")
        self.assertRegex(text, r"allowed: CPU, ratio to nginx-lua +\| +1\.00 \| +1\.00\.\.1\.00 \| ≤ 0\.90 \| NO +\|")
        self.assertRegex(text, r"auth_request: added p99, ratio to go-http +\| +– \| +– \| ≤ 0\.70 \| NO +\|")
        self.assertRegex(text, r"versiongate +\| +130 \| +250 \| +\+30 \(\+30.*\) \| +\+50 \(\+50.*\) \| none")
        self.assertIn("WRONG: the server has ended", text)
        self.assertNotIn("grpc", text)


BEFORE = "# Benchmarks\n\nText.\n\n"
FIRST = "## Side by side, 2026-01-01\n\nold\n\n### Table\n"
NEWER = "## Side by side, 2026-02-01\n\nnew\n"
SECOND = "## Decisions, 2026-01-02\n\nfirst\n"
PAGE = f"{BEFORE}{FIRST}\n{SECOND}"


class Sections(unittest.TestCase):
    def test_a_section_is_replaced_where_it_was(self):
        self.assertEqual(sections.with_section(PAGE, NEWER), f"{BEFORE}{NEWER}\n{SECOND}")

    def test_a_new_section_comes_last(self):
        self.assertEqual(sections.with_section("", SECOND), SECOND)
        self.assertEqual(sections.with_section(PAGE, "## New, 2026\n"), f"{PAGE}\n## New, 2026\n")

    def test_a_new_page_keeps_the_sections_of_others(self):
        page = sections.with_others(f"{BEFORE}{NEWER}", PAGE)
        self.assertEqual(page, f"{BEFORE}{NEWER}\n{SECOND}")
        self.assertEqual(sections.with_others(PAGE, ""), PAGE)


if __name__ == "__main__":
    unittest.main()
