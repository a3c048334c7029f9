"""Tests of the facts in a gRPC status."""

import base64
import unittest

import support  # noqa: F401  Adds the library to the path.
from versiongate import calls


def field(number, content):
    """Returns a length-delimited field of a protobuf message, up to 16,383 bytes."""
    size = len(content)
    length = bytes([size]) if size < 128 else bytes([size & 0x7F | 0x80, size >> 7])
    return bytes([number << 3 | 2]) + length + content


def details(metadata):
    entries = b"".join(
        field(3, field(1, name.encode()) + field(2, value.encode()))
        for name, value in metadata.items()
    )
    detail = field(1, b"type.googleapis.com/google.rpc.ErrorInfo") + field(2, entries)
    return base64.b64encode(field(3, detail)).decode().rstrip("=")


class CallTests(unittest.TestCase):
    def test_a_build_is_a_number(self):
        found = calls.facts("", details({"title": "t", "minimumBuild": "41200"}))
        self.assertEqual(found, {"title": "t", "minimumBuild": 41200})

    def test_a_build_that_is_no_number_leaves_all_other_facts(self):
        for build in ["93.1", "", "x", "-1", "１２"]:
            with self.subTest(build):
                found = calls.facts("m", details({"title": "t", "minimumBuild": build}))
                self.assertEqual(found, {"title": "t", "message": "m"})


if __name__ == "__main__":
    unittest.main()
