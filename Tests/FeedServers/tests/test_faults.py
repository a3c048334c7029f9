import http.client
import json
import socket
import ssl
import time
import unittest
import urllib.request
import zlib
from email.utils import parsedate_to_datetime

from support import ServerCase

CONTENT = {"minimum": "3.2.0", "text": "アップデート" * 20}


class FaultTests(ServerCase):
    name = "https"

    def setUp(self):
        super().setUp()
        body = json.dumps(CONTENT, ensure_ascii=False)
        self.server.state(files={"/f.json": {"body": body}})
        self.body = body.encode()

    def fetch(self, **headers):
        return self.get("/f.json", **headers)

    def test_statuses_are_sent_the_given_number_of_times(self):
        for code in (400, 401, 403, 404, 412, 429, 500, 502, 503, 504):
            self.server.fault(str(code), times=2)
            self.assertEqual([self.fetch().status for _ in range(3)], [code, code, 200])
        self.server.fault("status", code=418, body="short and stout")
        self.assertEqual((self.fetch().status, self.fetch().body), (418, b"short and stout"))

    def test_retry_after_in_seconds_as_a_date_and_as_invalid_text(self):
        self.server.fault("429", retryAfter=7)
        self.assertEqual(self.fetch().fields["Retry-After"], "7")
        self.server.fault("503", retryAfter="date+60")
        date = parsedate_to_datetime(self.fetch().fields["Retry-After"])
        self.assertAlmostEqual(date.timestamp(), time.time() + 60, delta=5)
        self.server.fault("503", retryAfter="soon")
        self.assertEqual(self.fetch().fields["Retry-After"], "soon")

    def test_several_faults_follow_each_other(self):
        self.server.control("PUT", "/fault", [
            {"kind": "500", "times": 1}, {"kind": "429", "times": 1}, {"kind": "404", "path": "/x"},
        ])
        self.assertEqual([self.fetch().status for _ in range(3)], [500, 429, 200])
        self.assertEqual([entry["fault"] for entry in self.server.log()], ["500", "429", None])

    def test_a_fault_of_one_listener(self):
        self.server.fault("500", listener="other")
        self.assertEqual(self.fetch().status, 200)
        other = self.server.request("/f.json", port=self.server.other_port)
        self.assertEqual(other.status, 500)

    def test_redirects(self):
        self.server.fault("redirect", code=307)
        moved = self.fetch()
        scheme = "https" if self.tls else "http"
        there = f"{scheme}://localhost:{self.server.other_port}/f.json"
        self.assertEqual((moved.status, moved.fields["Location"]), (307, there))
        followed = self.server.request("/f.json", port=self.server.other_port)
        self.assertEqual(followed.status, 200)
        self.server.fault("redirect", to="https://example.com/")
        self.assertEqual(self.fetch().fields["Location"], "https://example.com/")
        self.server.fault("redirect-loop")
        looping = self.fetch()
        self.assertEqual((looping.status, looping.fields["Location"]), (302, "/f.json"))
        self.server.fault("redirect-down")
        plain_port = self.server.control("GET", "/")["plainPort"]
        down = f"http://localhost:{plain_port}/f.json"
        self.assertEqual(self.fetch().fields["Location"], down)
        without_proxy = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with without_proxy.open(down) as followed:
            self.assertEqual(followed.read(), self.body)
        self.assertEqual(self.server.log()[-1]["listener"], "plain")
        self.server.fault("redirect-nowhere")
        self.assertIsNone(self.fetch().fields["Location"])

    def test_unexpected_bodies(self):
        for kind, expected in {
            "empty": b"", "null": b"null", "wrong-type": b"[1,2,3]",
            "bad-json": self.body[:len(self.body) // 2],
        }.items():
            self.server.fault(kind)
            reply = self.fetch()
            self.assertEqual((reply.status, reply.body), (200, expected), kind)
            self.assertIsNone(reply.fields["ETag"])
        self.server.fault("wrong-type", json="3.2.0")
        self.assertEqual(self.fetch().body, b'"3.2.0"')
        self.server.fault("html")
        self.assertEqual(self.fetch().fields["Content-Type"], "text/html; charset=utf-8")
        self.assertTrue(self.fetch().body.startswith(b"<!DOCTYPE html>"))
        self.server.fault("not-utf8")
        with self.assertRaises(UnicodeDecodeError):
            self.fetch().body.decode()
        self.server.fault("content-type")
        self.assertEqual(self.fetch().fields["Content-Type"], "application/octet-stream")
        self.assertEqual(self.fetch().body, self.body)

    def test_invalid_encodings(self):
        for form in ("garbage", "cut", "checksum", "plain"):
            self.server.fault("bad-gzip", form=form)
            reply = self.fetch()
            self.assertEqual(reply.fields["Content-Encoding"], "gzip")
            unpacker = zlib.decompressobj(31)
            try:
                unpacker.decompress(reply.body)
                self.assertFalse(unpacker.eof, form)
            except zlib.error:
                pass
        self.server.fault("unknown-encoding")
        self.assertEqual(self.fetch().fields["Content-Encoding"], "x-unheard-of")
        self.server.fault("gzip-bomb", bytes=8 << 20)
        bomb = self.fetch().body
        self.assertLess(len(bomb), 20_000)
        self.assertGreater(len(zlib.decompress(bomb, 31)), 8 << 20)

    def test_an_oversized_head(self):
        self.server.fault("big-head")
        with self.assertRaises(http.client.HTTPException):
            self.fetch()

    def test_a_body_that_ends_early(self):
        for framing in ("length", "chunked"):
            self.server.fault("truncated", framing=framing)
            with self.assertRaises(http.client.IncompleteRead) as caught:
                self.fetch()
            self.assertTrue(self.body.startswith(caught.exception.partial), framing)
        self.server.fault("truncated", goodbye=False)
        with self.assertRaises((http.client.IncompleteRead, ssl.SSLEOFError)):
            self.fetch()
        self.server.fault("truncated", framing="head")
        self.assertEqual((self.fetch().fields["Last-Modified"], self.fetch().body), (None, b""))

    def test_a_reset_before_within_and_after_the_head(self):
        # Python reports an RST below TLS as a normal end.
        expected = http.client.HTTPException if self.tls else ConnectionResetError
        for after in ("request", "head", "body"):
            self.server.fault("reset", after=after)
            with self.assertRaises((expected, ConnectionResetError), msg=after):
                self.fetch()

    def test_an_endless_body(self):
        for framing in ("chunked", "counted"):
            self.server.fault("oversized", framing=framing)
            connection = self.server.connect()
            connection.request("GET", "/f.json")
            response = connection.getresponse()
            self.assertTrue(response.read(4 << 20).startswith(self.body), framing)
            self.assertEqual(
                response.headers["Content-Length"], str(1 << 40) if framing == "counted" else None)
            connection.close()

    def test_a_slow_body(self):
        self.server.fault("slow", interval=0.001)
        started = time.monotonic()
        self.assertEqual(self.fetch().body, self.body)
        self.assertGreater(time.monotonic() - started, len(self.body) * 0.001)

    def test_a_stalled_response(self):
        for after in ("request", "head", "body"):
            self.server.fault("stalled", after=after)
            with self.assertRaises(socket.timeout, msg=after):
                self.server.request("/f.json", timeout=0.3)

    def test_a_response_that_is_not_http(self):
        self.server.fault("not-http")
        with self.assertRaises(http.client.BadStatusLine):
            self.fetch()

    def test_connections_are_refused_and_cut_until_the_fault_is_removed(self):
        kept = self.server.connect()
        kept.request("GET", "/f.json")
        kept.getresponse().read()
        self.server.fault("refuse")
        with self.assertRaises(OSError):
            kept.request("GET", "/f.json")
            kept.getresponse()
        kept.close()
        for _ in range(3):
            with self.assertRaises(ConnectionRefusedError):
                self.fetch()
        self.server.control("DELETE", "/fault")
        self.assertEqual(self.fetch().status, 200)

    def test_faults_before_the_first_request(self):
        for kind, expected in {
            "tls-garbage": (ssl.SSLError, http.client.BadStatusLine),
            "tls-reset": ConnectionResetError,
            "tls-stalled": socket.timeout,
        }.items():
            self.server.fault(kind, times=1)
            with self.assertRaises(expected, msg=kind):
                self.server.request("/f.json", timeout=0.5)
            self.assertEqual(self.fetch().status, 200)


class EncryptedFaultTests(FaultTests):
    tls = True


del ServerCase

if __name__ == "__main__":
    unittest.main()
