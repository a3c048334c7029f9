"""JSON Web Tokens, RFC 7519."""

import base64
import json


class BadToken(Exception):
    """The reason why a token is invalid."""


class Token:
    """The parts of a token. They are trustworthy only if `is_signed_by` returns True."""

    def __init__(self, text):
        parts = text.split(".")
        if len(parts) != 3:
            raise BadToken("a token has three parts")
        try:
            self.header, self.claims = (json.loads(decoded(part)) for part in parts[:2])
            self.signature = decoded(parts[2])
        except ValueError as problem:
            raise BadToken("a part is not JSON in base64url") from problem
        if not isinstance(self.header, dict) or not isinstance(self.claims, dict):
            raise BadToken("header and claims are objects")
        self.signed = f"{parts[0]}.{parts[1]}".encode()

    def is_signed_by(self, key, algorithm):
        return self.header.get("alg") == algorithm and key.verifies(
            algorithm, self.signature, self.signed)

    def time(self, name):
        value = self.claims.get(name)
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def decoded(text):
    """Decodes Base64url without padding (RFC 7515 section 2). Padding is an error."""
    if "=" in text or "+" in text or "/" in text:
        raise ValueError("not base64url")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
