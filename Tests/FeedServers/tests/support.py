"""The common code for the servers' tests."""

import atexit
import functools
import http.client
import http.server
import json
import queue
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
import zlib
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent
HAS_OPENSSL = shutil.which("openssl") is not None


def scratch_folder():
    """Creates a folder that is removed after the tests."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


@functools.lru_cache(maxsize=None)
def certificate_and_key(purpose="usual"):
    """Returns a certificate for `localhost` and 127.0.0.1, and its key, both created once for each
    purpose.
    """
    folder = scratch_folder()
    certificate, key = str(folder / "cert.pem"), str(folder / "key.pem")
    run_openssl(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
    )
    return certificate, key


def run_openssl(*arguments):
    return subprocess.run(
        ["openssl", *arguments], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout


class Reply:
    def __init__(self, status, fields, body):
        self.status = status
        self.fields = fields
        self.body = body

    def json(self):
        return json.loads(self.body)


class Server:
    """A server in a process of its own, started as in the Swift tests."""

    def __init__(self, name, tls=False):
        command = [sys.executable, "-B", str(FOLDER / "serve.py"), name]
        self.context = None
        if tls:
            certificate, key = certificate_and_key()
            command += ["--cert", certificate, "--key", key]
            self.context = ssl.create_default_context(cafile=certificate)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        line = self.process.stdout.readline().decode().split()
        assert line[:1] == ["listening"], line
        self.port, self.control_port = int(line[1]), int(line[2])
        self.kept = None

    @property
    def origin(self):
        return f"{'https' if self.context else 'http'}://localhost:{self.port}"

    def stop(self):
        if self.kept is not None:
            self.kept.close()
        self.process.stdin.close()
        code = self.process.wait(10)
        self.process.stdout.close()
        return code

    def connect(self, port=None, timeout=5):
        port = port or self.port
        if self.context is None:
            return http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
        return http.client.HTTPSConnection(
            "localhost", port, timeout=timeout, context=self.context)

    def request(self, target, method="GET", body=None, headers=None, port=None, timeout=5):
        connection = self.connect(port, timeout)
        try:
            connection.request(method, target, body, headers or {})
            response = connection.getresponse()
            return Reply(response.status, response.headers, response.read())
        finally:
            connection.close()

    def control(self, method, path, value=None, expects=200):
        if self.kept is None:
            self.kept = http.client.HTTPConnection("127.0.0.1", self.control_port, timeout=10)
        self.kept.request(method, path, None if value is None else json.dumps(value))
        response = self.kept.getresponse()
        answer = json.loads(response.read())
        assert response.status == expects, answer
        return answer

    def state(self, **state):
        self.control("PUT", "/state", state)

    def change(self, **state):
        self.control("PATCH", "/state", state)

    def fault(self, kind, **parameters):
        self.control("PUT", "/fault", {"kind": kind, **parameters})

    def log(self, after=0, wait=0):
        return self.control("GET", f"/log?after={after}&wait={wait}")

    @property
    def other_port(self):
        return self.control("GET", "/")["otherPort"]


class ServerCase(unittest.TestCase):
    """A test case with a server of its own, whose state is reset before every test."""

    name = None
    tls = False

    @classmethod
    def setUpClass(cls):
        if cls.name is None or (cls.tls and not HAS_OPENSSL):
            raise unittest.SkipTest("no server, or no openssl")
        cls.server = Server(cls.name, cls.tls)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        self.server.control("DELETE", "/fault")
        self.server.state()
        self.server.control("DELETE", "/log")

    def get(self, target, **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.server.request(target, headers=named)


class Receiver:
    """Receives webhooks. `received` contains the header fields and the body of each."""

    def __init__(self):
        received = self.received = queue.Queue()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                received.put((self.headers, body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.listener.server_port}/hook"

    def stop(self):
        self.listener.shutdown()
        self.listener.server_close()


def unpacked(reply):
    return zlib.decompress(reply.body, 31) if reply.fields["Content-Encoding"] else reply.body


def raw_exchange(port, text, timeout=5):
    """Returns the response to arbitrary bytes, until the server closes."""
    with socket.create_connection(("127.0.0.1", port), timeout) as sock:
        sock.sendall(text.encode())
        received = b""
        while data := sock.recv(65536):
            received += data
        return received
