#!/usr/bin/env python3
"""Runs an unpacked image with its own configuration on a read-only root, and sends requests to it.

Usage: play.py BUNDLE
Must run as root in its own namespaces.
"""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

BUNDLE = Path(sys.argv[1]).resolve()
ROOT = BUNDLE / "rootfs"
RULES = """\
rules:
  - id: ios
    match: { platform: ios }
    minimum: "3.5.0"
    notice: upgrade
    storeUrl: https://apps.apple.com/app/id1234567890
notices:
  upgrade:
    en: { title: Update required, message: Please update., button: Update }
"""


class Backend(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments) -> None:
        pass


def status(version: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", 8080, timeout=30)
    connection.request("GET", "/", headers={"X-App-Platform": "ios", "X-App-Version": version})
    return connection.getresponse().status


def main() -> None:
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    process = json.loads((BUNDLE / "config.json").read_text())["process"]
    user, group = process["user"]["uid"], process["user"]["gid"]
    assert user != 0 and group != 0, "the image runs as root"
    (ROOT / "etc/versiongate/rules.yaml").write_text(RULES)
    subprocess.run(["mount", "--bind", ROOT, ROOT], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro,nosuid,nodev", ROOT], check=True)

    subprocess.run(["mount", "-t", "proc", "proc", ROOT / "proc"], check=True)

    backend = ThreadingHTTPServer(("127.0.0.1", 0), Backend)
    threading.Thread(target=backend.serve_forever, daemon=True).start()
    environment = dict(entry.split("=", 1) for entry in process["env"])
    environment["VERSIONGATE_UPSTREAM"] = f"http://127.0.0.1:{backend.server_port}"

    def enter() -> None:
        os.chroot(ROOT)
        os.chdir(process["cwd"])
        os.setgroups([])
        os.setgid(group)
        os.setuid(user)

    def run(arguments: list[str]) -> subprocess.Popen:
        return subprocess.Popen(arguments, preexec_fn=enter, env=environment, stderr=subprocess.PIPE)

    try:
        (ROOT / "written").write_text("")
        raise SystemExit("the root is writable")
    except OSError:
        pass
    gate = run(process["args"])
    try:
        for _ in range(200):
            check = run(["/usr/bin/versiongate", "healthcheck"])
            if check.wait(30) == 0:
                break
            time.sleep(0.1)
        else:
            raise SystemExit(f"never healthy: {gate.stderr.read1()}")
        assert status("3.4.9") == 426 and status("4.2.0") == 200
    finally:
        gate.send_signal(signal.SIGTERM)
    assert gate.wait(60) == 0
    assert run(["/usr/bin/versiongate", "healthcheck"]).wait(30) == 1
    print(f"as user {user} on a read-only root: 426 for 3.4.9, 200 for 4.2.0, healthcheck, exit 0")


if __name__ == "__main__":
    main()
