"""The gate of one gateway: starts, stops, suspends it, and changes its rules."""

import datetime
import re
import secrets
import signal
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

from places import HERE, Process


class Gate:
    """A gate that decides for a gateway, or, with `upstream`, one that is a proxy in front of another server."""

    def __init__(self, folder, executable, port, admin_port, arguments=()):
        self.folder, self.executable, self.process = folder, executable, None
        self.port, self.admin_port = port, admin_port
        folder.mkdir(parents=True)
        self.rules, self.secret = folder / "rules.yaml", folder / "preview.secret"
        self.secret.write_text(secrets.token_hex(32))
        self.arguments = list(arguments) or ["--decide-listen", f"127.0.0.1:{port}"]
        self.write("2.0.0")

    def write(self, reloaded):
        """Writes the rules; `reloaded` is the floor of the rule that the reload changes."""
        now = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
        day = datetime.timedelta(days=1)
        values = {"RELOADED": reloaded}
        for name, date in (("YESTERDAY", now - day), ("TOMORROW", now + day)):
            values[name] = date.strftime("%Y-%m-%dT%H:%M:%SZ")
        text = re.sub(r"@([A-Z_]+)@", lambda found: values[found[1]], (HERE / "rules.yaml").read_text())
        new = self.rules.with_suffix(".new")
        new.write_text(text)
        new.rename(self.rules)

    def start(self):
        self.process = Process(self.folder, [
            self.executable, "serve", "--rules", self.rules, "--admin-listen", self.admin_port, "--access-log",
            "--preview-secret-file", self.secret, *self.arguments,
        ], self.port)

    def preview(self, decision):
        """Returns the header with which a tester previews a decision."""
        command = [self.executable, "preview", "--decision", decision, "--for", "1h", "--secret-file", self.secret]
        name, value = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().split(": ")
        return name, value

    def signed_pass(self):
        """Returns the header that lets a client pass even if the rules deny its requests."""
        command = [self.executable, "pass", "--for", "1h", "--secret-file", self.secret]
        name, value = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().split(": ")
        return name, value

    def logged(self, path):
        """Returns the client addresses in the lines of the access log about a path, once there is one."""
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            lines = (self.folder / "output.log").read_text().splitlines()
            if found := [line.split()[0] for line in lines if f" {path} HTTP/" in line]:
                return found
            time.sleep(0.1)
        return []

    def reload(self):
        """Makes the gate load the rules that were written; they are active when this returns."""
        address = f"http://127.0.0.1:{self.admin_port}/-/reload"
        try:
            with urllib.request.urlopen(urllib.request.Request(address, method="POST"), timeout=30) as response:
                response.read()
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"the reload is rejected: {error.code} {error.read()[:500]}") from error

    def suspend(self):
        """Stops all threads of the gate; the kernel takes a moment for that."""
        self.process.process.send_signal(signal.SIGSTOP)
        tasks = Path(f"/proc/{self.process.process.pid}/task")
        while any(task.read_text().rsplit(")", 1)[1].split()[0] != "T" for task in tasks.glob("*/stat")):
            time.sleep(0.01)

    def resume(self):
        self.process.process.send_signal(signal.SIGCONT)

    def kill(self):
        self.process.process.kill()
        self.stop()

    def stop(self):
        if self.process:
            self.process.process.send_signal(signal.SIGCONT)
            self.process.stop()
            self.process = None
