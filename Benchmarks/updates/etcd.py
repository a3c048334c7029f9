"""A real etcd with a rules file under one key, which changes repeatedly."""

import base64
import http.client
import json
import shutil
import subprocess
import time

from sidebyside.server import free_port

from .source import STORE_URL, floor, message

KEY = "/versiongate/rules"
START_SECONDS = 20


class Etcd:
    # etcd's streams are not counted.
    opened = None

    def __init__(self, folder):
        program = shutil.which("etcd")
        if program is None:
            raise SystemExit("there is no etcd; on Debian: apt-get install etcd-server")
        self._port = free_port()
        clients, peers = (f"http://127.0.0.1:{port}" for port in (self._port, free_port()))
        with (folder / "etcd.log").open("wb") as log:
            self._process = subprocess.Popen(
                [
                    program, "--data-dir", str(folder / "etcd"), "--log-level", "error",
                    "--listen-client-urls", clients, "--advertise-client-urls", clients,
                    "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers,
                    "--initial-cluster", f"default={peers}",
                ],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )
        self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=20)
        self._put_first()

    @property
    def entry(self):
        return f"source: etcd\n    url: http://127.0.0.1:{self._port}\n    key: {KEY}"

    def put(self, number):
        """Changes the value, and returns once etcd has stored it."""
        rule = {
            "id": "floor", "match": {"platform": "ios"}, "minimum": floor(number),
            "storeUrl": STORE_URL, "notice": "floor",
        }
        notice = {"en": {"title": "Update required", "message": message(number)}}
        rules = json.dumps({"rules": [rule], "notices": {"floor": notice}})
        body = {"key": encoded(KEY), "value": encoded(rules)}
        self._connection.request("POST", "/v3/kv/put", json.dumps(body))
        answer = self._connection.getresponse()
        said = answer.read()
        if answer.status != 200:
            raise OSError(f"etcd answers {answer.status}: {said[:200]}")

    def stop(self):
        self._connection.close()
        self._process.terminate()
        self._process.wait(20)

    def _put_first(self):
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                return self.put(0)
            except OSError:
                self._connection.close()
                if time.monotonic() > deadline or self._process.poll() is not None:
                    self.stop()
                    raise
                time.sleep(0.1)


def encoded(text):
    return base64.b64encode(text.encode()).decode()
