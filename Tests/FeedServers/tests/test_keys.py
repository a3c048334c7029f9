import sys
import unittest

from support import FOLDER, HAS_OPENSSL

sys.path.insert(0, str(FOLDER))

from feeds.keys import BASE, ORDER, PublicKey, added, multiplied  # noqa: E402
from feeds.tokens import BadToken, Token  # noqa: E402
from signing import Signer  # noqa: E402


class CurveTests(unittest.TestCase):
    def test_the_order_of_the_base_point(self):
        self.assertIsNone(multiplied(ORDER, BASE))
        self.assertEqual(multiplied(ORDER + 5, BASE), multiplied(5, BASE))
        self.assertEqual(added(multiplied(2, BASE), BASE), multiplied(3, BASE))


@unittest.skipUnless(HAS_OPENSSL, "no openssl")
class SignatureTests(unittest.TestCase):
    def test_only_signatures_by_openssl_are_valid(self):
        for algorithm in ("RS256", "ES256"):
            signer, stranger = Signer(algorithm), Signer(algorithm)
            token = Token(signer.token({"iss": "a"}, kid="k"))
            for text in (signer.public, signer.private):
                self.assertTrue(token.is_signed_by(PublicKey.from_pem(text), algorithm))
            key = PublicKey.from_pem(signer.public)
            self.assertFalse(token.is_signed_by(PublicKey.from_pem(stranger.public), algorithm))
            self.assertFalse(token.is_signed_by(key, "HS256"))
            self.assertFalse(key.verifies(algorithm, token.signature, token.signed + b"x"))
            self.assertFalse(key.verifies(algorithm, token.signature[:-1], token.signed))
            self.assertFalse(key.verifies(algorithm, bytes(len(token.signature)), token.signed))

    def test_a_der_signature_is_invalid(self):
        signer = Signer("ES256")
        key = PublicKey.from_pem(signer.public)
        self.assertTrue(key.verifies("ES256", signer.sign(b"m"), b"m"))
        self.assertFalse(key.verifies("ES256", b"\x30\x44" + signer.sign(b"m"), b"m"))


class TokenTests(unittest.TestCase):
    def test_invalid_tokens(self):
        for text in ("", "a.b", "e30.e30", "e30=.e30=.", "W10.e30.AA", "!.e30.AA", "e30.e30.A"):
            with self.assertRaises(BadToken, msg=text):
                Token(text)


if __name__ == "__main__":
    unittest.main()
