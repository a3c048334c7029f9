"""Public keys from PEM, and the two signature algorithms for tokens, implemented with only the standard library.
"""

import base64
import hashlib

# NIST P-256, FIPS 186-4 section D.1.2.3.
PRIME = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
BASE = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
# The prefix of EMSA-PKCS1-v1_5 for SHA-256, RFC 8017 section 9.2.
SHA256_INFO = bytes.fromhex("3031300d060960864801650304020105000420")


class PublicKey:
    """An RSA key (modulus, exponent) or a point on P-256."""

    def __init__(self, kind, numbers):
        self.kind = kind
        self.numbers = numbers

    @staticmethod
    def from_pem(text):
        """Returns the key of a `PUBLIC KEY`, or the public key of a `PRIVATE KEY` (PKCS #8)."""
        lines = text.strip().splitlines()
        if len(lines) < 3 or not lines[0].startswith("-----BEGIN "):
            raise ValueError("no PEM")
        label = lines[0].strip("-").replace("BEGIN ", "").strip()
        parts = children(children(base64.b64decode("".join(lines[1:-1])))[0][1])
        if label == "PUBLIC KEY":
            return PublicKey.from_bits(parts[1][1][1:])
        if label == "PRIVATE KEY":
            return PublicKey.from_private(children(parts[2][1])[0][1])
        raise ValueError(f"no key: {label}")

    @staticmethod
    def from_bits(bits):
        if bits[:1] == b"\x04":
            return PublicKey("EC", (number(bits[1:33]), number(bits[33:65])))
        modulus, exponent = children(children(bits)[0][1])[:2]
        return PublicKey("RSA", (number(modulus[1]), number(exponent[1])))

    @staticmethod
    def from_private(content):
        fields = children(content)
        if fields[1][0] == 0x04:
            return PublicKey("EC", multiplied(number(fields[1][1]), BASE))
        return PublicKey("RSA", (number(fields[1][1]), number(fields[2][1])))

    def verifies(self, algorithm, signature, message):
        """Returns whether an RS256 or ES256 signature in the format of tokens is valid."""
        if (algorithm, self.kind) == ("RS256", "RSA"):
            return self.verifies_rs256(signature, message)
        if (algorithm, self.kind) == ("ES256", "EC"):
            return self.verifies_es256(signature, message)
        return False

    def verifies_rs256(self, signature, message):
        modulus, exponent = self.numbers
        size = (modulus.bit_length() + 7) // 8
        info = SHA256_INFO + hashlib.sha256(message).digest()
        padded = b"\x00\x01" + b"\xff" * (size - len(info) - 3) + b"\x00" + info
        found = pow(number(signature), exponent, modulus).to_bytes(size, "big")
        return len(signature) == size and found == padded

    def verifies_es256(self, signature, message):
        """Verifies by FIPS 186-4 section 6.4. The signature consists of r and s, 32 bytes each (RFC
        7518 section 3.4).
        """
        r, s = number(signature[:32]), number(signature[32:])
        if len(signature) != 64 or not (0 < r < ORDER and 0 < s < ORDER):
            return False
        inverse = pow(s, -1, ORDER)
        digest = number(hashlib.sha256(message).digest())
        point = added(
            multiplied(digest * inverse % ORDER, BASE),
            multiplied(r * inverse % ORDER, self.numbers))
        return point is not None and point[0] % ORDER == r


def number(data):
    return int.from_bytes(data, "big")


def children(data):
    """Returns the DER elements, as tags and contents."""
    found = []
    while data:
        tag, length, start = data[0], data[1], 2
        if length >= 0x80:
            start += length & 0x7F
            length = number(data[2:start])
        found.append((tag, data[start:start + length]))
        data = data[start + length:]
    return found


def added(one, two):
    """Returns the sum of two points. None is the point at infinity."""
    if one is None or two is None:
        return one or two
    if one[0] == two[0]:
        if (one[1] + two[1]) % PRIME == 0:
            return None
        slope = 3 * (one[0] * one[0] - 1) * pow(2 * one[1], -1, PRIME)
    else:
        slope = (two[1] - one[1]) * pow(two[0] - one[0], -1, PRIME)
    x = (slope * slope - one[0] - two[0]) % PRIME
    return x, (slope * (one[0] - x) - one[1]) % PRIME


def multiplied(factor, point):
    result = None
    while factor:
        if factor & 1:
            result = added(result, point)
        point = added(point, point)
        factor >>= 1
    return result
