"""Keys and tokens for the tests, created by the `openssl` command."""

import base64
import json
import time

from support import run_openssl, scratch_folder


class Signer:
    """An RSA or P-256 private key."""

    def __init__(self, algorithm):
        self.algorithm = algorithm
        self.folder = scratch_folder()
        options = {
            "RS256": ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
            "ES256": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
        }[algorithm]
        run_openssl("genpkey", *options, "-out", self.path("key.pem"))
        self.private = (self.folder / "key.pem").read_text()
        self.public = run_openssl("pkey", "-in", self.path("key.pem"), "-pubout").decode()

    def path(self, name):
        return str(self.folder / name)

    def sign(self, message):
        (self.folder / "message").write_bytes(message)
        signature = run_openssl("dgst", "-sha256", "-sign", self.path("key.pem"),
                                self.path("message"))
        return signature if self.algorithm == "RS256" else raw_signature(signature)

    def token(self, claims, **header):
        parts = [{"alg": self.algorithm, "typ": "JWT", **header}, claims]
        text = ".".join(encoded(json.dumps(part).encode()) for part in parts)
        return f"{text}.{encoded(self.sign(text.encode()))}"


def encoded(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def raw_signature(der):
    """Returns the two numbers of an ECDSA signature in DER, 32 bytes each."""
    first = der[3]
    numbers = der[4:4 + first], der[6 + first:6 + first + der[5 + first]]
    return b"".join(each.lstrip(b"\x00").rjust(32, b"\x00") for each in numbers)


class ServiceAccount:
    """A service account in the format of its key file, and the assertions that it signs."""

    def __init__(self):
        self.signer = Signer("RS256")
        self.file = {
            "type": "service_account", "project_id": "example", "private_key_id": "key1",
            "private_key": self.signer.private, "client_email": "gate@example.iam.example.com",
            "token_uri": "https://oauth2.googleapis.com/token",
        }

    def claims(self, scope, **changes):
        now = int(time.time())
        claims = {
            "iss": self.file["client_email"], "scope": scope, "aud": self.file["token_uri"],
            "iat": now, "exp": now + 3600, **changes,
        }
        return {name: value for name, value in claims.items() if value is not None}

    def ask(self, server, scope, signer=None, header=None, grant=None, **changes):
        """Sends a request to the token endpoint of a server."""
        grant = grant or "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
        assertion = (signer or self.signer).token(
            self.claims(scope, **changes), **(header or {"kid": "key1"}))
        return server.request(
            "/token", "POST", f"grant_type={grant}&assertion={assertion}",
            {"Content-Type": "application/x-www-form-urlencoded"})

    def access(self, server, scope):
        """Returns an access token as a header field."""
        token = self.ask(server, scope).json()["access_token"]
        return {"Authorization": f"Bearer {token}"}
