"""The matrix's servers: the gate with its backend, an nginx that denies requests itself, and proxies in front of the gate."""

import datetime
import json
import os
import re
import socket
import subprocess
import time
import urllib.request
from collections import Counter

from .places import PATH, SERVERS, free_ports, program


# The name of a gate that serves only as a backend for proxies.
WAITING_GATE = "waiting-gate"


class Process:
    """A server that runs in a separate folder until `stop`."""

    def __init__(self, folder, command, port, environment=None):
        self.folder = folder
        self.output = open(folder / "output.log", "ab")
        self.process = subprocess.Popen(
            [str(part) for part in command], cwd=folder, stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output,
            env={**os.environ, "PATH": PATH, **(environment or {})},
        )
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    self.stop()
                    raise RuntimeError(f"{command[0]} does not listen: {(folder / 'output.log').read_text()[-2000:]}")
                time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.output.close()


def filled(template, values):
    return re.sub(r"@([A-Z_]+)@", lambda found: str(values[found[1]]), template)


class Server:
    """A server for clients, with its name, a port for HTTP/1.1, and a port for HTTP/2 with TLS."""

    def __init__(self, name, folder):
        self.name, self.folder, self.processes = name, folder, []
        # The server that responds to the requests.
        self.gate = self
        self.version = ""
        folder.mkdir(parents=True)
        self.port, self.tls_port = free_ports(2)

    def address(self, http, scheme="http"):
        if http == "2":
            return f"{scheme}s://127.0.0.1:{self.tls_port}"
        return f"{scheme}://127.0.0.1:{self.port}"

    def start(self, command, **more):
        self.processes.append(Process(self.folder, command, self.port, **more))

    def stop(self):
        for process in reversed(self.processes):
            process.stop()

    def connections(self):
        """Returns the number of accepted connections, if the server reports it."""
        return None

    def connections_of(self, path):
        """Returns the number of connections that a path's request and the next request used, if the log contains it."""
        return None

    def requests(self):
        """Returns the requests in the log, in order."""
        return []


class Gate(Server):
    def __init__(self, folder, executable, certificate, flags=()):
        super().__init__("gate", folder)
        self.version = subprocess.run([executable, "version"], capture_output=True, text=True).stdout.strip()
        backend, self.admin_port = free_ports(2)
        now = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
        day = datetime.timedelta(days=1)
        dates = {"YESTERDAY": now - day, "TOMORROW": now + day, "NEXT_WEEK": now + 7 * day}
        dates = {name: date.strftime("%Y-%m-%dT%H:%M:%SZ") for name, date in dates.items()}
        (folder / "rules.yaml").write_text(filled((SERVERS / "rules.yaml").read_text(), dates))
        (folder / "backend").mkdir()
        self.processes.append(
            Process(folder / "backend", [executable, "demo-backend", "--listen", f"127.0.0.1:{backend}"], backend)
        )
        self.start([
            executable, "serve", "--listen", f"127.0.0.1:{self.port}", "--tls-listen", f"127.0.0.1:{self.tls_port}",
            "--tls-certificate", certificate.certificate, "--tls-key", certificate.key,
            "--upstream", f"http://127.0.0.1:{backend}", "--rules", folder / "rules.yaml",
            "--admin-listen", self.admin_port, "--trusted-proxies", "127.0.0.1", "--access-log", "--log-format", "json", *flags,
        ])

    def connections(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.admin_port}/metrics", timeout=5) as answer:
            text = answer.read().decode()
        found = re.findall(r"^versiongate_client_connections_accepted_total(?:\{[^}]*\})? (\d+)", text, re.MULTILINE)
        return sum(map(int, found))

    def requests(self):
        # The access log is flushed four times a second.
        time.sleep(0.6)
        return logged(self.folder / "output.log")


class DenyingNginx(Server):
    def __init__(self, folder, certificate):
        super().__init__("nginx", folder)
        said = subprocess.run([program("nginx"), "-v"], capture_output=True, text=True).stderr
        self.version = said.strip().split("/")[-1]
        (folder / "temp").mkdir()
        values = {
            "PORT": self.port, "TLS_PORT": self.tls_port, "CERTIFICATE": certificate.certificate,
            "KEY": certificate.key,
        }
        (folder / "nginx.conf").write_text(filled((SERVERS / "denying-nginx.conf").read_text(), values))
        self.start([program("nginx"), "-e", "stderr", "-p", folder, "-c", "nginx.conf"])

    def requests(self):
        return logged(self.folder / "access.log")

    def connections_of(self, path):
        return len({entry["connection"] for entry in self.requests() if entry["path"] in (path, f"{path}-after")})


def logged(file):
    """Returns the lines about requests in a JSON log."""
    lines = []
    for line in file.read_text(errors="replace").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and "path" in entry and "status" in entry:
            lines.append(entry)
    return lines


def attempts(requests):
    """Returns the number of requests for each path."""
    return Counter(entry["path"] for entry in requests)
