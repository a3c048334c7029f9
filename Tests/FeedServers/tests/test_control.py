import json
import ssl
import unittest

from support import Server, ServerCase, certificate_and_key


class ControlTests(ServerCase):
    name = "https"

    def test_the_log_contains_all_requests(self):
        self.server.request("/a%20b?x=1&y=", "POST", b"\xff", {"X-One": "1"})
        entry, = self.server.log()
        self.assertEqual((entry["method"], entry["path"]), ("POST", "/a b"))
        self.assertEqual(entry["query"], {"x": "1", "y": ""})
        self.assertEqual(entry["headers"]["x-one"], "1")
        self.assertEqual((entry["base64"], entry["status"]), ("/w==", 404))
        self.assertEqual(self.server.log(after=1), [])

    def test_the_log_waits_for_a_request(self):
        self.assertEqual(self.server.log(after=0, wait=0.05), [])
        self.get("/")
        self.assertEqual(len(self.server.log(after=0, wait=5)), 1)

    def test_unknown_switches_are_rejected_without_effect(self):
        self.server.state(etag="weak")
        for method, path, value in [
            ("PUT", "/state", {"etags": "weak"}),
            ("PATCH", "/state", {"etag": "feeble"}),
            ("PATCH", "/state", {"wire": {"framing": "smoke signals"}}),
            ("PATCH", "/state", {"wire": {"frames": 1}}),
            ("PATCH", "/state", {"files": {"no-slash": {"body": ""}}}),
            ("PATCH", "/state", []),
            ("PUT", "/fault", {"kind": "earthquake"}),
            ("PUT", "/fault", {"kind": "html", "code": 3}),
            ("PUT", "/fault", {"kind": "refuse", "times": 1}),
        ]:
            answer = self.server.control(method, path, value, expects=400)
            self.assertIn("error", answer, (method, path, value))
        self.server.control("POST", "/no-such-action", {}, expects=404)
        self.assertEqual(self.server.control("GET", "/state")["etag"], "weak")
        self.assertEqual(self.server.control("GET", "/fault"), [])

    def test_it_replaces_or_changes_the_state(self):
        self.server.state(etag="weak", wire={"pieces": 3})
        self.server.change(wire={"framing": "chunked"})
        state = self.server.control("GET", "/state")
        self.assertEqual(state["wire"]["pieces"], 3)
        self.assertEqual((state["etag"], state["wire"]["framing"]), ("weak", "chunked"))
        self.server.state()
        self.assertEqual(self.server.control("GET", "/state")["etag"], "strong")

    def test_the_end_of_standard_input_stops_the_server(self):
        self.assertEqual(Server("https").stop(), 0)

    def test_the_framings(self):
        body = json.dumps({"é": "日本語"}, ensure_ascii=False)
        for framing in ("length", "chunked", "close"):
            wire = {"framing": framing, "pieces": 1, "gzip": "never"}
            self.server.state(files={"/f.json": {"body": body}}, wire=wire)
            reply = self.get("/f.json", Accept_Encoding="gzip")
            self.assertEqual(reply.body.decode(), body, framing)
            self.assertEqual("Content-Length" in reply.fields, framing == "length")
            self.assertEqual("Transfer-Encoding" in reply.fields, framing == "chunked")
        self.server.change(wire={"gzip": "always"})
        self.assertEqual(self.get("/f.json").fields["Content-Encoding"], "gzip")

    def test_a_connection_serves_many_requests_until_it_is_cut(self):
        connection = self.server.connect()
        for _ in range(3):
            connection.request("GET", "/")
            self.assertEqual(connection.getresponse().read()[:6], b"<html>")
        self.server.control("POST", "/disconnect")
        with self.assertRaises(OSError):
            connection.request("GET", "/")
            connection.getresponse()
        connection.close()
        self.assertEqual(self.get("/").status, 404)


class EncryptedControlTests(ControlTests):
    tls = True

    def test_another_certificate_from_the_next_handshake_on(self):
        usual, other = certificate_and_key(), certificate_and_key("other")
        self.server.control("PUT", "/certificate", {"cert": other[0], "key": other[1]})
        with self.assertRaises(ssl.SSLCertVerificationError):
            self.get("/")
        self.server.control("PUT", "/certificate", {"cert": usual[0], "key": usual[1]})
        self.assertEqual(self.get("/").status, 404)


del ServerCase

if __name__ == "__main__":
    unittest.main()
