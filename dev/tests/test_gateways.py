"""Tests how the harness of the gateways reads pages, interprets responses and compares results."""

import json
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Gateways"))

import blocks  # noqa: E402
import cases  # noqa: E402
import run  # noqa: E402
import table  # noqa: E402
from clients import Response  # noqa: E402
from gateway import OTHER, ROUTES  # noqa: E402
from places import DOCS  # noqa: E402

BODY = json.dumps({"title": "Update required", "message": "Please update."}).encode()
LINES = [
    ("Content-Type", "application/problem+json"), ("Cache-Control", "no-store"), ("Vary", "accept-language, origin"),
    ("X-VersionGate", "require"),
]


class Pages(unittest.TestCase):
    def test_named_blocks_are_files(self):
        page = "```nginx a.conf\nlisten 8080;\n```\n\n```sh\nls\n```\n\n```yaml b.yaml\nx: 1\n```\n"
        self.assertEqual(blocks.files(page), {"a.conf": "listen 8080;\n", "b.yaml": "x: 1\n"})
        with self.assertRaises(ValueError):
            blocks.files(page + page)

    def test_a_missing_block_is_an_error(self):
        with self.assertRaisesRegex(blocks.PageError, "no block named b.yaml"):
            blocks.files("```yaml a.yaml\nx: 1\n```\n")["b.yaml"]

    def test_a_block_that_cannot_be_read_is_an_error(self):
        for page, text in (
            ("```yaml a.yaml\nx: 1\n", "the block in line 1 has no end$"),
            ("```yaml a.yaml\nx: 1\n\n```yaml b.yaml\n```\n", "the block in line 1 has no end before line 4"),
            ("Text.\n\n```yaml a yaml\n```\n", "line 3 starts no block"),
            ("```yaml a.yaml\n```\n", "the block in line 1 is empty"),
            ("```yaml a.yaml\n ```\n", "the block in line 1 has no end"),
        ):
            with self.subTest(page=page), self.assertRaisesRegex(blocks.PageError, text):
                blocks.files(page)

    def test_only_whole_ports_are_replaced(self):
        text = "127.0.0.1:8080 18080 8080s 1.8080 :8080;"
        self.assertEqual(blocks.with_ports(text, {8080: 1}), "127.0.0.1:1 18080 8080s 1.8080 :1;")

    def test_a_location_is_replaced_with_its_indentation(self):
        text = "server {\n    location @a {\n        if (x) { y; }\n    }\n    location @b {\n    }\n}\n"
        new = "location @a {\n    return 1;\n}\n"
        self.assertEqual(
            blocks.replaced_location(text, "@a", new),
            "server {\n    location @a {\n        return 1;\n    }\n    location @b {\n    }\n}\n",
        )
        with self.assertRaises(ValueError):
            blocks.replaced_location(text, "@c", new)

    def test_a_missing_line_is_an_error(self):
        self.assertEqual(blocks.without_lines("a\nb\n", "b"), "a\n")
        with self.assertRaises(ValueError):
            blocks.without_lines("a\n", "b")

    def test_a_diff_is_applied_without_its_line_numbers(self):
        diff = "@@ -7,2 +7,2 @@\n a\n-b\n+c\n@@ -9 +9,2 @@\n d\n+e\n"
        self.assertEqual(blocks.patched("a\nb\nd\n", diff), "a\nc\nd\ne\n")

    def test_a_diff_that_does_not_fit_is_an_error(self):
        for diff, text in (
            ("@@ -1 +1 @@\n-x\n+y\n", "0 instead of 1"), ("@@ -1,2 +1 @@\n-a\n+y\n", "1 old lines and 1 new"),
            ("-a\n+b\n", "start with a hunk"), ("--- a\n+++ a\n@@ -1 +1 @@\n-a\n+y\n", "start with a hunk"),
        ):
            with self.subTest(diff=diff), self.assertRaisesRegex(blocks.PageError, text):
                blocks.patched("a\nb\n", diff)


class Configurations(unittest.TestCase):
    """The configurations in docs/gateways; no gateway is started."""

    def setUp(self):
        self.kinds = {kind: blocks.files((DOCS / kind.page).read_text()) for kind in run.gateways()}

    def configuration(self, kind, files, variant):
        return kind.__new__(kind).configuration(files, variant)

    def test_a_page_has_the_variants_of_its_gateway(self):
        for kind, files in self.kinds.items():
            first = self.configuration(kind, files, "")
            self.assertEqual(set(first), set(kind.files))
            for variant in kind.variants:
                with self.subTest(gateway=kind.key, variant=variant):
                    self.assertNotEqual(self.configuration(kind, files, variant), first)

    def test_a_lower_priority_for_the_old_backend_of_envoy_fits(self):
        for kind, files in self.kinds.items():
            if kind.page == "envoy.md":
                text, = self.configuration(kind, files, ROUTES).values()
                self.assertIn("priority: 1", blocks.patched(text, files["failover.diff"]))

    def test_each_block_that_a_variant_needs_is_missed(self):
        for key, variant, names in (
            ("nginx", OTHER, ("nginx.conf", "versiongate.conf")), ("nginx", ROUTES, ("versiongate.conf.diff",)),
            ("nginx-streamed", "", ("versiongate.conf", "streamed.conf")),
            ("ingress-nginx", "", ("versiongate.conf", "ingress-nginx.conf")),
            ("haproxy", OTHER, ("haproxy.cfg", "versiongate.lua", "closed.cfg")),
            ("haproxy", ROUTES, ("haproxy.cfg.diff",)),
            ("caddy", OTHER, ("Caddyfile", "open.Caddyfile")), ("caddy", ROUTES, ("Caddyfile.diff",)),
            ("traefik", OTHER, ("traefik.yaml", "dynamic.yaml", "entrypoint.yaml", "decisions.yaml")),
            ("traefik", ROUTES, ("dynamic.yaml.diff",)),
            ("apache", ROUTES, ("apache.conf", "apache.conf.diff")),
            ("envoy-grpc", OTHER, ("envoy.yaml",)), ("envoy-grpc", ROUTES, ("envoy.yaml.diff",)),
            ("envoy-http", OTHER, ("envoy-http.yaml",)), ("envoy-http", ROUTES, ("envoy-http.yaml.diff",)),
        ):
            kind = next(kind for kind in self.kinds if kind.key == key)
            for name in names:
                files = blocks.Files({each: text for each, text in self.kinds[kind].items() if each != name})
                with self.subTest(gateway=key, block=name), self.assertRaisesRegex(blocks.PageError, name):
                    self.configuration(kind, files, variant)

    def test_a_changed_line_that_a_variant_needs_is_missed(self):
        for key, variant, name, line in (
            ("nginx", OTHER, "versiongate.conf", "error_page 500 502 503 504 = @versiongate_down;"),
            ("nginx", ROUTES, "versiongate.conf", "proxy_pass http://api;"),
            ("haproxy", OTHER, "haproxy.cfg", "use_backend versiongate_denial"),
            ("caddy", OTHER, "Caddyfile", "import versiongate"),
            ("traefik", OTHER, "traefik.yaml", "entryPoints:"),
            ("traefik", OTHER, "dynamic.yaml", "8090/decide/traefik"),
            ("envoy-grpc", OTHER, "envoy.yaml", "failure_mode_allow: true"),
        ):
            kind = next(kind for kind in self.kinds if kind.key == key)
            files = blocks.Files(self.kinds[kind])
            files[name] = files[name].replace(line, "other")
            with self.subTest(gateway=key, line=line), self.assertRaises(blocks.PageError):
                self.configuration(kind, files, variant)


class Denials(unittest.TestCase):
    def test_what_a_denial_lacks_is_named(self):
        for response, text in (
            (Response(426, LINES, BODY), "426"),
            (Response(426, LINES[1:], BODY), "426, no Content-Type"),
            (Response(426, LINES[:3], b""), "426, no X-VersionGate, body"),
            (Response(426, [*LINES, ("vary", "accept")], BODY), "426, no Vary"),
            (Response(426, [*LINES, ("X-VersionGate-Status", "426")], BODY), "426, x-versiongate-status too"),
            (Response(500, [], b""), "500, no body"),
            (Response(error="TimeoutError"), "TimeoutError"),
        ):
            with self.subTest(text=text):
                self.assertEqual(cases.denial(response), text)

    def test_times_are_rounded(self):
        for response, text in (
            (Response(200, seconds=0.3), "passes at once"), (Response(500, seconds=1.2), "500 after 1 s"),
            (Response(error="TimeoutError", seconds=40), "no response"),
        ):
            with self.subTest(text=text):
                self.assertEqual(cases.timed(response), text)


class Routes(unittest.TestCase):
    def response(self, backend, route):
        members = {"backend": backend, "path": "/x", "lines": [["X-VersionGate-Route", value] for value in route]}
        return Response(200, body=json.dumps(members).encode())

    def test_the_backend_is_named_with_what_it_received_incorrectly(self):
        for response, text in (
            (self.response("legacy", ["legacy"]), "legacy"), (self.response("current", []), "current"),
            (self.response("current", ["legacy"]), "current, X-VersionGate-Route: legacy"),
            (self.response("legacy", []), "legacy, X-VersionGate-Route: none"),
            (self.response("legacy", ["legacy", "x"]), "legacy, X-VersionGate-Route: legacy, x"),
            (Response(502), "502, no body"),
        ):
            with self.subTest(text=text):
                self.assertEqual(cases.chosen(response, "/x"), text)
        self.assertEqual(cases.chosen(self.response("current", []), "/y"), "current, /x")

    def test_only_the_right_backends_are_the_other_backend(self):
        self.assertEqual(cases.by_version(["legacy", "current"]), "the other backend")
        self.assertEqual(cases.by_version(["current", "502"]), "old: current; current: 502")


class Results(unittest.TestCase):
    def test_a_changed_cell_and_a_new_one_are_differences(self):
        expected = {"nginx": {"get": "426", "head": "426"}}
        self.assertEqual(table.differences("nginx", {"get": "426"}, expected), [])
        self.assertEqual(
            table.differences("nginx", {"get": "500", "page": "the page"}, expected),
            ["nginx, get: '500' instead of '426'", "nginx, page: 'the page' instead of None"],
        )

    def test_the_expected_file_has_every_case(self):
        expected = json.loads((ROOT / "Tests" / "Gateways" / "expected.json").read_text())
        names = {case.name for case in cases.CASES}
        for key, cells in expected.items():
            with self.subTest(gateway=key):
                self.assertLessEqual(set(cells), names)
                self.assertLessEqual({case.name for case in cases.CASES if not case.variant}, set(cells))


if __name__ == "__main__":
    unittest.main()
