import base64
import unittest

from support import ServerCase, unpacked

RULES = "apiVersion: versiongate/v1\nrevision: 7\n"


class FileTests(ServerCase):
    name = "https"

    def setUp(self):
        super().setUp()
        self.server.state(files={"/rules.yaml": {"body": RULES}})

    def test_a_file_comes_with_a_tag_and_a_date(self):
        reply = self.get("/rules.yaml")
        self.assertEqual((reply.status, reply.body), (200, RULES.encode()))
        self.assertEqual(reply.fields["Content-Type"], "application/yaml")
        self.assertRegex(reply.fields["ETag"], '^"[0-9a-f]{20}"$')
        self.assertTrue(reply.fields["Last-Modified"].endswith("GMT"))

    def test_the_same_tag_gets_304_until_the_file_changes(self):
        tag = self.get("/rules.yaml").fields["ETag"]
        again = self.get("/rules.yaml", If_None_Match=tag)
        self.assertEqual((again.status, again.body, again.fields["ETag"]), (304, b"", tag))
        self.server.change(files={"/rules.yaml": {"body": RULES + "# more\n"}})
        self.assertEqual(self.get("/rules.yaml", If_None_Match=tag).status, 200)

    def test_the_same_date_gets_304(self):
        date = self.get("/rules.yaml").fields["Last-Modified"]
        self.assertEqual(self.get("/rules.yaml", If_Modified_Since=date).status, 304)

    def test_the_forms_of_a_tag(self):
        self.server.change(etag="weak")
        tag = self.get("/rules.yaml").fields["ETag"]
        self.assertTrue(tag.startswith('W/"'))
        self.assertEqual(self.get("/rules.yaml", If_None_Match=tag[2:]).status, 304)
        self.server.change(etag="none", lastModified=False)
        bare = self.get("/rules.yaml")
        self.assertEqual((bare.fields["ETag"], bare.fields["Last-Modified"]), (None, None))
        self.server.change(etag="strong", etagOnNotModified=False)
        tag = self.get("/rules.yaml").fields["ETag"]
        self.assertIsNone(self.get("/rules.yaml", If_None_Match=tag).fields["ETag"])
        self.server.change(conditional="ignored")
        self.assertEqual(self.get("/rules.yaml", If_None_Match=tag).status, 200)

    def test_gzip_on_request_and_its_etags(self):
        packed = self.get("/rules.yaml", Accept_Encoding="gzip")
        self.assertEqual(packed.fields["Content-Encoding"], "gzip")
        self.assertEqual(unpacked(packed), RULES.encode())
        plain = self.get("/rules.yaml").fields["ETag"]
        for form, expected in {
            "same": plain, "weak": "W/" + plain, "suffix": plain[:-1] + '-gzip"',
        }.items():
            self.server.change(gzipEtag=form)
            tag = self.get("/rules.yaml", Accept_Encoding="gzip").fields["ETag"]
            self.assertEqual(tag, expected)

    def test_a_signature_as_a_field_and_as_a_file_of_bytes(self):
        signature = bytes(range(64))
        text = base64.b64encode(signature).decode()
        self.server.state(files={
            "/rules.yaml": {"body": RULES, "headers": {"X-Signature": text}},
            "/rules.yaml.sig": {"base64": text},
        })
        self.assertEqual(self.get("/rules.yaml").fields["X-Signature"], text)
        self.assertEqual(self.get("/rules.yaml.sig").body, signature)

    def test_a_file_that_requires_a_header_and_a_missing_file(self):
        self.assertEqual(self.get("/other").status, 404)
        self.server.change(requires={"Authorization": "Bearer s3cret"})
        denied = self.get("/rules.yaml")
        self.assertEqual(denied.status, 401)
        self.assertIn("WWW-Authenticate", denied.fields)
        self.assertEqual(self.get("/rules.yaml", Authorization="Bearer s3cret").status, 200)
        self.server.change(denial=403)
        self.assertEqual(self.get("/rules.yaml").status, 403)

    def test_a_file_that_has_moved(self):
        self.server.change(redirects={"/old": {"to": "/rules.yaml", "status": 308}})
        moved = self.get("/old")
        self.assertEqual((moved.status, moved.fields["Location"]), (308, "/rules.yaml"))

    def test_head_gives_no_body(self):
        reply = self.server.request("/rules.yaml", method="HEAD")
        self.assertEqual((reply.status, reply.body), (200, b""))
        self.assertEqual(reply.fields["Content-Length"], str(len(RULES)))


class EncryptedFileTests(FileTests):
    tls = True


del ServerCase

if __name__ == "__main__":
    unittest.main()
