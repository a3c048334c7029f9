"""Tests that the requests of each kind of traffic match its description."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sidebyside import appcall, traffic  # noqa: E402

EVERY = (*traffic.HEADLINES, traffic.POST)


def fields_of(request):
    lines = request.partition(b"\r\n\r\n")[0].decode().split("\r\n")
    return dict(line.split(": ", 1) for line in lines[1:])


def values(requests, name):
    return {fields_of(request)[name] for request in requests}


def targets(requests):
    return {request.split(b" ", 2)[1] for request in requests}


class Requests(unittest.TestCase):
    def test_peers_and_rules_deny_those_that_are_to_be_denied_and_no_other(self):
        outdated = re.compile(appcall.OUTDATED)
        for each in EVERY:
            for denied in (False, True):
                for version in values(each.make(denied), "X-App-Version"):
                    with self.subTest(traffic=each.name, version=version):
                        version = version.replace(traffic.NUMBER, "12345678")
                        self.assertEqual(outdated.search(version) is not None, denied)

    def test_mixed_heads_share_neither_path_nor_token_nor_trace(self):
        for denied in (False, True):
            requests = traffic.MIXED.make(denied)
            self.assertEqual(len(requests), 4_096)
            self.assertEqual(len(targets(requests)), 4_096)
            for name in ("Authorization", "Traceparent"):
                self.assertEqual(len(values(requests, name)), 4_096)
            self.assertEqual(len(values(requests, "X-App-Version")), 30)
            self.assertEqual({len(fields_of(each)) for each in requests}, {12})

    def test_a_crowd_has_as_many_clients_as_it_says(self):
        for count in (traffic.IDENTITIES, traffic.MORE_IDENTITIES):
            for denied in (False, True):
                self.assertEqual(len(set(traffic.identities(count, denied))), count)

    def test_every_head_of_the_crowd_is_another_client(self):
        names = ("X-App-Version", "X-OS-Version", "Accept-Language")
        clients, tokens = set(), set()
        for request in traffic.CROWD.make(False):
            fields = fields_of(request)
            clients.add(tuple(fields[name] for name in names))
            tokens.add(fields["Authorization"])
            self.assertIn(traffic.NUMBER, fields["Traceparent"])
            self.assertEqual(len(fields), 12)
        self.assertEqual(clients, set(traffic.identities(traffic.IDENTITIES, False)))
        self.assertEqual(len(tokens), traffic.IDENTITIES)

    def test_no_number_stands_where_none_is_meant(self):
        for each in (traffic.MIXED, traffic.ONE_CLIENT, traffic.POST):
            self.assertFalse(any(b"#" in request for request in each.make(False)))

    def test_every_version_that_was_never_seen_has_a_number(self):
        for version in values(traffic.NEVER_SEEN.make(True), "X-App-Version"):
            self.assertTrue(version.endswith(f".{traffic.NUMBER}"))

    def test_a_post_brings_as_much_as_it_says(self):
        for request in traffic.POST.make(False):
            body = request.partition(b"\r\n\r\n")[2]
            self.assertEqual(len(body), traffic.BODY_BYTES)
            self.assertEqual(fields_of(request)["Content-Length"], str(len(body)))

    def test_the_file_holds_every_request_after_its_length(self):
        with tempfile.TemporaryDirectory() as folder:
            path = traffic.POST.write(Path(folder), denied=False)
            requests = []
            with path.open("rb") as file:
                while length := file.readline():
                    requests.append(file.read(int(length)))
        self.assertEqual(requests, traffic.POST.make(False))


if __name__ == "__main__":
    unittest.main()
