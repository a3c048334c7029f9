"""Tests what a started server reports of its memory."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sidebyside.server import Server, free_port  # noqa: E402

SIZE = 50 * 2**20
# The program fills its memory before it listens.
PROGRAM = """
import http.server, sys
held = bytearray(b"x") * int(sys.argv[2])
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), http.server.BaseHTTPRequestHandler).serve_forever()
"""


class Memory(unittest.TestCase):
    def test_memory_of_the_process_alone_leaves_out_files(self):
        port = free_port()
        command = [sys.executable, "-B", "-c", PROGRAM, str(port), str(SIZE)]
        with tempfile.TemporaryDirectory() as folder:
            server = Server("server", command, port, (0,), folder)
            try:
                server.wait_until_listening()
                whole, private = server.resident_bytes(), server.resident_bytes("Pss_Anon")
            finally:
                server.stop()
        self.assertGreater(private, SIZE)
        self.assertGreater(whole, private)


if __name__ == "__main__":
    unittest.main()
