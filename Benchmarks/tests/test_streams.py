"""Tests the checks of the streams that stay open while the rules change."""

import socket
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from soak.streams import Denied, History, StreamClients, WrongResponse, idle_websocket  # noqa: E402


class Revisions(unittest.TestCase):
    def test_a_revision_counts_until_the_next_one_must_be_in_force(self):
        history = History(20, [(100, 2), (130, 3), (140, 4)])
        for begin, numbers in ((0, [2, 3, 4]), (149, [2, 3, 4]), (150, [3, 4]), (159, [3, 4]), (160, [4]), (999, [4])):
            self.assertEqual(history.since(begin), numbers, begin)

    def test_a_new_revision_counts_at_once(self):
        history = History(20, [(0, 2)])
        history.add(3)
        self.assertEqual(history.since(time.monotonic()), [2, 3])


class Ends(unittest.TestCase):
    """Each stream is of a client whose version is denied by revisions after its floor."""

    def wrong(self, floor, revisions, *raised, exchanges=1):
        now = time.monotonic()
        history = History(20, [(now - 100, revisions[0]), *((now - 50, each) for each in revisions[1:])])
        clients = StreamClients(0, 0, history)

        def exchange(_port, _version):
            for _ in range(exchanges):
                yield
            for error in raised:
                raise error

        clients.visit(exchange, floor)
        return clients.wrong

    def test_a_stream_may_be_complete_or_end_once_it_is_denied(self):
        self.assertEqual(self.wrong(None, [2]), [])
        self.assertEqual(self.wrong(2, [2]), [])
        self.assertEqual(self.wrong(2, [2, 3], ConnectionError(), exchanges=0), [])
        self.assertEqual(self.wrong(2, [2, 3], Denied(), exchanges=0), [])

    def test_a_stream_must_not_end_for_no_reason(self):
        for error in (ConnectionError(), Denied()):
            self.assertEqual(len(self.wrong(None, [2, 3], error)), 1)
            self.assertEqual(len(self.wrong(2, [1, 2], error)), 1)

    def test_a_stream_must_not_stay_open_for_long(self):
        self.assertEqual(len(self.wrong(2, [2, 3])), 1)

    def test_silence_and_every_other_error_are_wrong(self):
        for error in (TimeoutError(), WrongResponse("status 503"), ValueError(), KeyError()):
            self.assertEqual(len(self.wrong(2, [2, 3], error, exchanges=0)), 1, error)


class IdleWebSocket(unittest.TestCase):
    def exchange(self, *sent):
        """Opens a WebSocket whose server sends this and ends."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            def serve():
                connection, _ = server.accept()
                with connection:
                    connection.recv(65536)
                    for part in (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", *sent):
                        connection.sendall(part)
                        time.sleep(0.2)

            thread = threading.Thread(target=serve, daemon=True)
            thread.start()
            try:
                for _ in idle_websocket(server.getsockname()[1], "1.0"):
                    pass
            finally:
                thread.join()

    def test_its_end_is_seen_at_once(self):
        begin = time.monotonic()
        with self.assertRaises(ConnectionError):
            self.exchange()
        self.assertLess(time.monotonic() - begin, 10)

    def test_a_message_that_nobody_has_asked_for_is_wrong(self):
        with self.assertRaises(WrongResponse):
            self.exchange(b"\x81\x05other")


if __name__ == "__main__":
    unittest.main()
