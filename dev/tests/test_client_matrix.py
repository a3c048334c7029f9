"""Tests how the matrix of real clients interprets responses and results."""

import json
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "ClientMatrix"))

from matrix import page  # noqa: E402
from matrix.cases import BY_NAME  # noqa: E402
from matrix.clients import CLIENTS, EXCUSES  # noqa: E402
from matrix.outcome import judge  # noqa: E402
from matrix.proxies import WAITING  # noqa: E402
from matrix.servers import attempts, filled  # noqa: E402
from matrix.uploads import lost_uploads  # noqa: E402

BODY = json.dumps({"title": "Update required", "message": "Please update.", "storeUrl": ""})


def answer(status=426, body=BODY, fields=None, **more):
    return {"status": status, "body": body, "length": len(body), "fields": fields or {}, **more}


# The case, the response, the outcome's kind, and its text.
OUTCOMES = (
    ("up3m", answer(), "seen", "426"),
    ("up3m", answer(error="reset", message="by peer"), "seen", "426, then reset"),
    ("up3m", answer(body=""), "lost", "426, no body"),
    ("up3m", answer(body=BODY[:20]), "lost", "426, body cut at 20 bytes"),
    ("up3m", answer(body="", error="reset"), "lost", "426, no body, reset"),
    ("up3m", answer(body='"a text"'), "lost", "426, body cut at 8 bytes"),
    ("up3m", answer(status=413), "lost", "413"),
    ("up3m", {"error": "x.ReadTimeout", "message": "late"}, "lost", "x.ReadTimeout"),
    ("up3m", None, "lost", "hangs"),
    ("up3m", {"unsupported": "no Expect"}, "unsupported", "–"),
    ("up3m", answer(status="FAILED_PRECONDITION", body="Please update."), "seen", "FAILED_PRECONDITION"),
    ("up3m", answer(status="FAILED_PRECONDITION", body=""), "lost", "FAILED_PRECONDITION, other text"),
    ("up3m", answer(status="UNKNOWN", body="426"), "lost", "UNKNOWN"),
    ("maintenance", answer(status="UNAVAILABLE", body="Back soon."), "seen", "UNAVAILABLE"),
    ("maintenance", answer(status="UNAVAILABLE", body="Service Unavailable"), "lost", "UNAVAILABLE, other text"),
    ("maintenance", answer(status=503, fields={"retry-after": "9"}), "seen", "503"),
    ("brownout", answer(), "lost", "426, no Retry-After"),
    ("brownout", answer(fields={"retry-after": "9"}), "seen", "426"),
    ("head", answer(body=""), "seen", "426"),
    ("head", answer(status=200, body=""), "lost", "200"),
    ("warned", answer(status=200, fields={"x-versiongate": 'recommend; latest="4.2.0"'}), "seen", "hint"),
    ("warned", answer(status=200), "lost", "no hint"),
    ("events", answer(status=200, body='data: {"decision":"require"}'), "seen", "event"),
    ("events", answer(status=200, body=""), "lost", "200, no event"),
    ("websocket", answer(body=""), "seen", "426, no body"),
    ("websocket", {"opened": True}, "lost", "opened"),
    ("websocket", {"error": "close 1006", "message": ""}, "lost", "close 1006"),
    ("next", answer(next=answer(status=200), connections=1), "seen", "same connection"),
    ("next", answer(next=answer(status=200), connections=2), "seen", "new connection"),
    ("next", answer(next=answer(status=200)), "seen", "passes"),
    ("next", answer(next=answer(status=400)), "lost", "400"),
    ("next", answer(next={"error": "reset"}), "lost", "reset"),
    ("next", {"error": "reset"}, "lost", "reset"),
)


def cell(kind, text, **more):
    return {"kind": kind, "text": text, "detail": "", "seconds": 0.1, "attempts": 1, **more}


def results(**cells):
    made = page.empty_results()
    made["servers"] = {"gate": "versiongate 1", "nginx": "1.22.1", "behind-envoy": "1.40.0"}
    made["clients"] = {"requests": "requests 2.34.2"}
    made["cells"] = {"requests 1.1": cells}
    return made


def row(text, name):
    return next(line for line in text.splitlines() if line.startswith(f"| {name}"))


class Outcomes(unittest.TestCase):
    def test_an_answer_is_judged_by_what_the_app_sees_of_it(self):
        for name, given, kind, text in OUTCOMES:
            with self.subTest(case=name, answer=given):
                outcome = judge(BY_NAME[name], given)
                self.assertEqual((outcome.kind, outcome.text), (kind, text))

    def test_attempts_are_counted_by_path(self):
        logged = [{"path": "/a"}, {"path": "/b"}, {"path": "/a"}]
        self.assertEqual(attempts(logged), {"/a": 2, "/b": 1})

    def test_a_template_is_filled_with_all_of_its_values(self):
        self.assertEqual(filled("listen @PORT@ me@x @TLS_PORT@", {"PORT": 1, "TLS_PORT": 2}), "listen 1 me@x 2")


class Page(unittest.TestCase):
    def test_nginx_is_named_where_it_differs(self):
        gate = {"get": cell("seen", "426"), "up3m": cell("seen", "426")}
        nginx = {"get": cell("seen", "426"), "up3m": cell("lost", "httpx.ReadTimeout")}
        text = page.straight(results(gate=gate, nginx=nginx), "1.1", "http", ("get", "head", "up3m"))
        self.assertEqual(row(text, "requests"), "| requests 2.34.2 | 426 | – | 426<br>nginx: ReadTimeout | none |")

    def test_a_slow_answer_and_repeats_are_told(self):
        gate = {"up3m": cell("seen", "426", seconds=7.6), "maintenance": cell("seen", "503", attempts=3)}
        text = page.straight(results(gate=gate), "1.1", "http", ("up3m",))
        self.assertEqual(row(text, "requests"), "| requests 2.34.2 | 426 after 8 s | maintenance: 3 |")

    def test_behind_a_proxy_only_what_is_lost_is_named(self):
        whole = {"get": cell("seen", "426"), "up3m": cell("seen", "426")}
        self.assertEqual(page.together(whole), "all")
        self.assertEqual(page.together({**whole, "up30m": cell("lost", "a.b.Reset")}), "30 MB: Reset")
        self.assertEqual(page.together({"get": cell("unsupported", "–")}), "–")

    def test_text_of_others_is_no_markup(self):
        self.assertEqual(page.escaped("<a> | *b*"), "&lt;a> \\| \\*b\\*")

    def test_a_name_without_its_packages_is_short(self):
        for given, expected in (
            ("java.net.http.HttpTimeoutException", "HttpTimeoutException"),
            ("426, no body, java.net.ProtocolException", "426, no body, ProtocolException"),
            ("close 1006", "close 1006"),
        ):
            self.assertEqual(page.short(given), expected)

    def test_missed_cells_are_those_of_the_gate_without_an_excuse(self):
        made = results(gate={"get": cell("lost", "500"), "up3m": cell("seen", "426")}, nginx={"get": cell("lost", "500")})
        made["cells"]["chromium 2"] = {"gate": {"websocket": cell("lost", "close 1006")}}
        self.assertEqual(page.missed(made), ["requests 1.1, get: 500 ()"])

    def test_uploads_without_their_denial_are_listed(self):
        table = {"behind-envoy": {"curl": {"small": [75, 75, {}], "large": [3, 20, {"exit 92": 17}]}}}
        self.assertEqual(lost_uploads(table), ["behind-envoy, curl, large: 3 of 20 (exit 92)"])

    def test_the_page_has_all_that_was_found(self):
        made = results(gate={"get": cell("lost", "a.Reset", detail="a.Reset: by 127.0.0.1:9")})
        made["uploads"] = {"behind-envoy": {
            program: {"small": [75, 75, {}], "large": [3, 20, {"exit 92": 17}]} for program in ("curl", "h2")}}
        text = page.render(made)
        self.assertIn("| Envoy 1.40.0 | 75 of 75 | 75 of 75 | 3 of 20 (17: exit 92) | 3 of 20 (17: exit 92) |", text)
        self.assertIn("- requests 2.34.2: a.Reset: by ADDRESS\n  In: GET (the gate, HTTP/1.1).", text)


class Guide(unittest.TestCase):
    """The proxies of the matrix are configured as in the guide."""

    def lines(self, language):
        text = (ROOT / "docs/guides/behind-nginx-or-a-cdn.md").read_text("utf-8")
        found = re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        lines = [re.sub(r"\s+#.*", "", line).strip() for line in found[0].splitlines()]
        # Names, addresses and certificates differ.
        own = re.compile(r"listen |server_name |ssl_certificate|upstream |127\.0\.0\.1:8080|^$")
        return [line for line in lines if not own.search(line)]

    def test_each_line_of_the_guide_is_in_the_configuration_of_the_matrix(self):
        for language, template in (
            ("nginx", "nginx.conf"), ("caddyfile", "buffering.Caddyfile"), ("toml", "buffering.traefik.toml"),
            ("yaml", "buffering.envoy.yaml"),
        ):
            with self.subTest(template):
                text = (ROOT / "Tests/ClientMatrix/servers" / template).read_text("utf-8")
                there = {line.strip() for line in text.splitlines()}
                lines = self.lines(language)
                self.assertGreater(len(lines), 1)
                self.assertEqual([line for line in lines if line not in there], [])


    def test_the_gate_that_waits_has_the_settings_of_the_guide(self):
        text = (ROOT / "docs/guides/behind-nginx-or-a-cdn.md").read_text("utf-8")
        self.assertIn(f"versiongate serve … {' '.join(WAITING)}\n", text)


class Rows(unittest.TestCase):
    def test_keys_are_unique_and_excuses_name_what_there_is(self):
        keys = [client.key for client in CLIENTS]
        self.assertEqual(len(keys), len(set(keys)))
        for key, case in EXCUSES:
            self.assertIn(key, keys)
            self.assertIn(case, BY_NAME)

    def test_every_adapter_is_there(self):
        programs = ROOT / "Tests" / "ClientMatrix" / "programs"
        for client in CLIENTS:
            for part in client.command:
                if str(part).endswith((".py", ".mjs", ".pl", ".php", ".rb")):
                    self.assertTrue((programs / str(part)).is_file(), part)


if __name__ == "__main__":
    unittest.main()
