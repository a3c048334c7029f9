"""A real gate, and other servers, for the tests of the client."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "clients" / "python"))

PATIENCE = 30

# A proxy in the environment would not reach loopback.
os.environ["no_proxy"] = "127.0.0.1"


class Server:
    """A server on loopback that responds with a function, which gets the handler."""

    def __init__(self, answer, port=0):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                # The client may have closed the connection.
                try:
                    answer(self)
                except OSError:
                    self.close_connection = True

            do_POST = do_HEAD = do_OPTIONS = do_GET

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


def reply(status=200, body=b"", **fields):
    """Returns a constant response."""

    def answer(handler):
        handler.send_response(status)
        for name, value in fields.items():
            handler.send_header(name.replace("_", "-"), value)
        if status not in (204, 304):
            handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def echo(handler):
    """Responds with the request that has reached the backend."""
    fields = {name.lower(): value for name, value in handler.headers.items()}
    body = json.dumps({"target": handler.path, "headers": fields}).encode()
    reply(body=body, Content_Type="application/json")(handler)


class Gate:
    """A real gate, with a backend that returns the requests it receives."""

    def __init__(self, rules):
        self._folder = tempfile.TemporaryDirectory()
        self._rules = Path(self._folder.name) / "rules.yaml"
        self.backend = Server(echo)
        self.write(rules)
        self.port = 0
        self.run()

    def run(self):
        """Starts the gate, on its previous port if it had one."""
        binary = os.environ.get("VERSIONGATE_BINARY", ROOT / ".build" / "debug" / "versiongate")
        self._process = subprocess.Popen(
            [
                binary, "serve", "--listen", f"127.0.0.1:{self.port}", "--upstream",
                self.backend.url, "--rules", self._rules, "--threads", "1",
                "--drain-timeout", "1", "--log-format", "json",
            ],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        self._lines = []
        self._news = threading.Condition()
        threading.Thread(target=self._read, args=(self._process.stderr,), daemon=True).start()
        self.port = int(self._logged("listening", 0)["address"].rpartition(":")[2])
        self.url = f"http://127.0.0.1:{self.port}"

    def _read(self, stream):
        with stream:
            for line in stream:
                with self._news:
                    self._lines.append(json.loads(line))
                    self._news.notify_all()

    def _logged(self, message, skipped):
        def line():
            return next((l for l in self._lines[skipped:] if l["message"] == message), None)

        with self._news:
            if not self._news.wait_for(line, PATIENCE):
                raise AssertionError(f"not in the log: {message}: {self._lines}")
            return line()

    def write(self, rules):
        self._text = rules
        fresh = self._rules.with_suffix(".new")
        fresh.write_text(rules)
        fresh.replace(self._rules)

    def change(self, rules):
        """Applies other rules."""
        if rules == self._text:
            return
        seen = len(self._lines)
        self.write(rules)
        self._process.send_signal(signal.SIGHUP)
        self._logged("rules loaded", seen)

    def stop(self):
        self._process.terminate()
        self._process.wait(PATIENCE)

    def end(self):
        self.stop()
        self.backend.__exit__()
        self._folder.cleanup()


def rules(minimum, more=""):
    """Returns rules with one floor for all clients, and additional keys."""
    return (
        f'rules:\n  - id: floor\n    minimum: "{minimum}"\n'
        f"    storeUrl: https://example.com/app\n    accept: [plan-opens]\n{more}"
    )


def moment(seconds):
    """Returns the time in a number of seconds, in the format of rules."""
    return (datetime.now(timezone.utc) + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")
