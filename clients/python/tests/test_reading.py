"""Tests of responses that the gate does not send, but a proxy may."""

import email.message
import unittest

import support  # noqa: F401  Adds the library to the path.
from versiongate.reading import EventReader, inspect

MANY_DIGITS = "9" * 5_000


class Response:
    status = 503
    url = "https://api.example.com/orders"

    def __init__(self, fields):
        self.headers = email.message.Message()
        for name, value in fields.items():
            self.headers[name] = value


class NumberTests(unittest.TestCase):
    def test_a_delay_of_centuries_counts_as_missing(self):
        denial = inspect(Response({"X-VersionGate": "maintenance", "Retry-After": MANY_DIGITS}))
        self.assertIsNone(denial.window.retry_after_seconds)

    def test_a_pause_of_centuries_counts_as_missing(self):
        events = EventReader()
        events.read(f"retry: {MANY_DIGITS}")
        self.assertIsNone(events.retry)
