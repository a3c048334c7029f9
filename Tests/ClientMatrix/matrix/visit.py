"""Runs all cases of one client on all servers, and counts the requests in the servers' logs."""

import subprocess

from .adapter_process import ENDED, AdapterFailure, AdapterProcess
from .cases import CURRENT, PATIENCE, TIMEOUT
from .outcome import judge
from .places import BUILT, PROGRAMS
from .servers import attempts

BUILD_PATIENCE = 300


class BuildFailure(Exception):
    """A client cannot be built."""


def build(client):
    if not client.build:
        return
    BUILT.mkdir(parents=True, exist_ok=True)
    command = [str(part) for part in client.build]
    try:
        done = subprocess.run(command, cwd=PROGRAMS, capture_output=True, text=True, timeout=BUILD_PATIENCE)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildFailure(f"it cannot be built: {error}") from error
    if done.returncode:
        raise BuildFailure(f"it cannot be built: {(done.stderr or done.stdout).strip()[-300:]}")


def fields(version):
    return {"X-App-Platform": "ios", "X-App-Version": version}


class Visit:
    def __init__(self, client, certificate, folder):
        self.client, self.certificate = client, certificate
        self.log = open(folder / f"{client.key}.log", "ab")
        self.adapter, self.version = None, None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.end()
        self.log.close()

    def end(self):
        if self.adapter:
            self.adapter.stop()
            self.adapter = None

    def running(self):
        if self.client.fresh:
            self.end()
        if not self.adapter:
            environment = {"MATRIX_CA": str(self.certificate.authority), **self.client.environment}
            environment = {
                name: value.replace("@CA@", str(self.certificate.authority)) for name, value in environment.items()
            }
            self.adapter = AdapterProcess(self.client.command, environment, self.log)
            self.version = self.adapter.version
        return self.adapter

    def request(self, server, http, case):
        """Returns the case as input for the adapter, with a unique path."""
        name = f"{self.client.key}-{http.replace('.', '')}-{server.name}-{case.name}"
        path = f"/{case.area}/{name}"
        if case.kind == "events":
            path = "/.versiongate/events"
        upload = case.upload
        request = {
            "url": server.address(http, "ws" if case.kind == "websocket" else "http") + path, "method": case.method,
            "fields": fields(case.version), "http": http, "ca": str(self.certificate.authority), "timeout": TIMEOUT,
            "kind": case.kind, "next": None,
            "upload": upload and {"bytes": upload.size, "chunked": upload.chunked, "expect": upload.expect},
        }
        if case.asks_next:
            following = server.address(http) + f"/orders/{name}-after"
            request["next"] = {"url": following, "method": "GET", "fields": fields(CURRENT)}
        return path, request

    def play(self, server, http, cases):
        """Returns a server's cells: the results, and the number of requests that the gate got."""
        cells, paths = {}, {}
        for case in cases:
            if self.client.cases and case.name not in self.client.cases:
                continue
            if case.only_gate and server.name == "nginx":
                continue
            paths[case.name], request = self.request(server, http, case)
            before = server.connections() if case.asks_next else None
            answer = self.ask(request)
            if case.asks_next and answer:
                taken = server.connections_of(paths[case.name])
                answer["connections"] = taken if before is None else server.connections() - before
            outcome = judge(case, answer)
            if outcome.kind == "unsupported" and answer["unsupported"].endswith(" only"):
                # A protocol that the client does not support is not a row.
                continue
            cells[case.name] = {
                "kind": outcome.kind, "text": outcome.text, "detail": outcome.detail,
                "seconds": (answer or {}).get("seconds"),
                "next_seconds": ((answer or {}).get("next") or {}).get("seconds"),
            }
        self.count(cells, paths, server.gate.requests(), http)
        return cells

    def count(self, cells, paths, requests, http):
        asked = attempts(requests)
        spoken = {entry["path"]: entry.get("protocol", "") for entry in requests}
        for name, cell in cells.items():
            cell["attempts"] = asked[paths[name]]
            cell["protocol"] = spoken.get(paths[name], "")

    def ask(self, request):
        try:
            answer = self.running().ask(request, PATIENCE)
        except AdapterFailure as failure:
            # A client that has never run is omitted.
            if self.version is None:
                raise
            return {"error": "the adapter does not run", "message": str(failure)}
        if answer is None or answer is ENDED:
            self.end()
        return answer
