#!/usr/bin/env python3
"""Tests the alerts and the dashboard against running gates.

Usage: check-prometheus.py GATE

A Prometheus scrapes two gates five times a second. In its copy of the alerts, a minute is shortened to a second, so that
the test does not take a quarter of an hour; `promtool test rules` has tested the real durations. Each alert must be silent,
fire during its fault, and end after it. Each expression in the dashboard must have a result, and use only existing metrics.
"""

import http.client
import http.server
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = "storeUrl: https://apps.apple.com/app/id1234567890"
UNITS = {"s": 1, "m": 60, "h": 3600}
PATIENCE = 60
played: set[str] = set()


def shortened(text: str) -> str:
    """Shortens minutes to seconds."""
    return re.sub(
        r"(\[|offset |for: )(\d+)([smh])\b",
        lambda match: f"{match[1]}{round(int(match[2]) * UNITS[match[3]] * 1000 / 60)}ms", text)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Backend:
    """A server that responds to all requests while it is open."""

    def __init__(self, port: int = 0) -> None:
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body are two writes, and the second would wait for the acknowledgment of the first.
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"ok")

            def log_message(self, *_: object) -> None:
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True

            def __init__(self, *arguments: object) -> None:
                super().__init__(*arguments)
                self.open: list[socket.socket] = []

            def process_request(self, request: socket.socket, address: object) -> None:
                self.open.append(request)
                super().process_request(request, address)

            def handle_error(self, *_: object) -> None:
                pass

        self.server = Server(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        for connection in self.server.open:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Source:
    """A feed with a valid value, or none."""

    def __init__(self) -> None:
        self.is_good = True
        source = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = f'rules: [{{ id: fed, match: {{ platform: web }}, minimum: "1.0", {LINK} }}]\n'.encode()
                self.send_response(200 if source.is_good else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Gate:
    def __init__(self, program: str, folder: Path, rules: str, backend: int, *flags: str) -> None:
        self.folder = folder
        self.published, self.away = folder / "published", folder / "away"
        self.published.mkdir(parents=True)
        self.port, self.admin = free_port(), free_port()
        self.write(rules)
        self.process = subprocess.Popen(
            [program, "serve", "--listen", f"127.0.0.1:{self.port}", "--admin-listen", str(self.admin), "--threads", "1",
             "--upstream", f"http://127.0.0.1:{backend}", "--rules", str(folder / "rules.yaml"),
             "--state-dir", str(folder / "state"), "--publish-rules", str(self.published / "rules.json"),
             "--census-interval", "0.2", *flags],
            stderr=subprocess.PIPE)
        self.reads = threading.Event()
        self.reads.set()
        threading.Thread(target=self.drain, daemon=True).start()
        until(self.is_ready, "the gate to be ready")

    def drain(self) -> None:
        """Reads the log, except while the reader is paused."""
        stream = self.process.stderr
        while self.reads.wait() and os.read(stream.fileno(), 65536):
            pass

    def write(self, rules: str) -> None:
        new = self.folder / "new"
        new.write_text(rules)
        new.rename(self.folder / "rules.yaml")

    def reload(self, rules: str) -> int:
        self.write(rules)
        return self.ask_admin("POST", "/-/reload")[0]

    def revision(self) -> str:
        return json.loads(self.ask_admin("GET", "/api/v1/rules")[1])["revision"]

    def ask_admin(self, method: str, path: str, body: str | None = None, **fields: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.admin, timeout=30)
        connection.request(method, path, body, fields)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def is_ready(self) -> bool:
        if self.process.poll() is not None:
            raise SystemExit(f"the gate ended: {self.process.returncode}")
        try:
            return self.ask_admin("GET", "/-/ready")[0] == 200
        except OSError:
            return False


class Traffic:
    """Fifty requests a second, from alternating devices."""

    def __init__(self, port: int, versions: list[str | None]) -> None:
        self.port, self.versions = port, versions
        self.wants_more = threading.Event()
        self.wants_more.set()
        self.pause, self.path = 0.02, "/"
        threading.Thread(target=self.run, daemon=True).start()

    def run(self) -> None:
        number, connection = 0, None
        while True:
            self.wants_more.wait()
            number += 1
            fields = {"X-App-Platform": "ios", "X-Device-Id": f"device-{number % 1000}"}
            version = self.versions[number % len(self.versions)]
            # One in a hundred requests has no version.
            if version and number % 100:
                fields["X-App-Version"] = version
            try:
                connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
                connection.request("GET", self.path, headers=fields)
                connection.getresponse().read()
            except (OSError, http.client.HTTPException):
                connection = None
            time.sleep(self.pause)


class Redis:
    """The census store."""

    def __init__(self) -> None:
        self.port = free_port()
        self.process = None

    def start(self) -> None:
        self.process = subprocess.Popen(
            ["redis-server", "--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--appendonly", "no"],
            stdout=subprocess.DEVNULL)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


def until(check, what: str, seconds: float = PATIENCE, remark=lambda: "") -> None:
    end = time.monotonic() + seconds
    while not check():
        if time.monotonic() > end:
            raise SystemExit(f"no: {what}{remark()}")
        time.sleep(0.1)


class Prometheus:
    def __init__(self, folder: Path, gates: list[Gate]) -> None:
        folder.mkdir()
        self.port = free_port()
        (folder / "alerts.yaml").write_text(shortened((ROOT / "deploy/prometheus/alerts.yaml").read_text()))
        targets = ", ".join(f'"127.0.0.1:{gate.admin}"' for gate in gates)
        (folder / "prometheus.yml").write_text(
            "global: { scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 200ms }\n"
            "rule_files: [alerts.yaml]\n"
            "scrape_configs:\n  - job_name: versiongate\n"
            f"    static_configs: [{{ targets: [{targets}] }}]\n")
        self.log = open(folder / "log", "wb")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}",
             f"--web.listen-address=127.0.0.1:{self.port}", "--log.level=warn", "--query.lookback-delta=5s"],
            stdout=self.log, stderr=self.log)

    def ask(self, path: str, **query: str):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", f"/api/v1/{path}?{urllib.parse.urlencode(query)}")
        answer = json.loads(connection.getresponse().read())
        if answer["status"] != "success":
            raise SystemExit(f"{path} {query}: {answer['error']}")
        return answer["data"]

    def firing(self) -> set[str]:
        return {alert["labels"]["alertname"] for alert in self.ask("alerts")["alerts"] if alert["state"] == "firing"}

    def missed(self) -> str:
        """Returns how many scrapes failed in the last minute; each failure ends a series and restarts its alerts."""
        found = self.ask("query", query="sum(count_over_time(up[1m]) - sum_over_time(up[1m]))")["result"]
        return f"; {found[0]['value'][1]} scrapes have failed" if found else ""

    def is_up(self, count: int) -> bool:
        try:
            return len(self.ask("query", query="up == 1")["result"]) == count
        # Until it is ready, Prometheus responds with text.
        except (OSError, json.JSONDecodeError):
            return False


def rules(minimum: str = "2.0", feed: int | None = None, more: str = "") -> str:
    feeds = f'feeds: [{{ id: shared, source: https, url: "http://127.0.0.1:{feed}/rules.yaml", every: 1s }}]\n' if feed else ""
    watched = f'  - {{ id: watched, mode: observe, match: {{ platform: ios }}, minimum: "2.9", {LINK} }}\n'
    return (f'{feeds}guard: off\n{more}rules:\n{watched}'
            f'  - {{ id: ios, match: {{ platform: ios }}, minimum: "{minimum}", {LINK} }}\n')


def play(prometheus: Prometheus, alert: str, fault, mend) -> None:
    if alert in prometheus.firing():
        raise SystemExit(f"{alert} fires before its fault")
    fault()
    begun = time.monotonic()
    until(lambda: alert in prometheus.firing(), f"{alert} to fire", remark=prometheus.missed)
    fired = time.monotonic() - begun
    mend()
    played.add(alert)
    begun = time.monotonic()
    until(lambda: alert not in prometheus.firing(), f"{alert} to end", 120)
    print(f"{alert}: fired after {fired:.1f} s, ended {time.monotonic() - begun:.1f} s after the fault was removed", flush=True)


def check_dashboard(prometheus: Prometheus) -> None:
    known = set(prometheus.ask("label/__name__/values"))
    count = 0
    for file in sorted((ROOT / "deploy/grafana").glob("*.json")):
        dashboard = json.loads(file.read_text())
        expressions = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
        for expression in expressions:
            # Grafana's value for all jobs and instances.
            filled = expression.replace("$job", ".+").replace("$instance", ".+").replace("$__rate_interval", "5s")
            unknown = set(re.findall(r"\b(?:versiongate|process)_\w+", filled)) - known
            # This metric is missing if no rule has tripped.
            if unknown - {"versiongate_breaker_tripped"}:
                raise SystemExit(f"{file.name}: {expression}: there is no {unknown}")
            if not prometheus.ask("query", query=filled)["result"] and not unknown:
                raise SystemExit(f"{file.name}: {expression}: no answer")
            count += 1
    if count < 15:
        raise SystemExit("the dashboard is missing")
    print(f"{count} expressions in the dashboard have a result", flush=True)


def main() -> None:
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        backend, source, redis = Backend(), Source(), Redis()
        redis.start()
        key = folder / "census.key"
        key.write_text(os.urandom(16).hex())
        fed = rules(feed=source.port)
        first = Gate(program, folder / "first", fed, backend.port, "--access-log")
        second = Gate(program, folder / "second", fed, backend.port,
                      "--census-store", f"redis://127.0.0.1:{redis.port}", "--census-key-file", str(key))
        prometheus = Prometheus(folder / "prometheus", [first, second])
        processes = [first.process, second.process, prometheus.process]
        try:
            run(prometheus, first, second, backend, source, redis, fed)
        finally:
            redis.stop()
            for process in processes:
                process.kill()
                process.wait()


def run(prometheus: Prometheus, first: Gate, second: Gate, backend: Backend, source: Source,
        redis: Redis, fed: str) -> None:
    until(lambda: prometheus.is_up(2), "Prometheus to scrape both gates")
    traffic = Traffic(first.port, ["2.0", "3.0"])
    others = Traffic(second.port, ["2.0", "3.0"])
    until(lambda: first.ask_admin("GET", "/feeds")[1].count(b'"fresh"') == 1, "the feed to be fresh")
    # Minutes are shortened to seconds: an hour, plus five minutes for the range of the jump alert.
    begun = time.monotonic()

    play(prometheus, "VersionGateReloadFailed",
         lambda: first.reload("rules: ["), lambda: first.reload(fed))

    def play_feed(is_good: bool) -> None:
        source.is_good = is_good

    play(prometheus, "VersionGateFeedFailing", lambda: play_feed(False), lambda: play_feed(True))

    def undo() -> None:
        before = first.revision()
        first.reload(rules("1.9", source.port))
        seen = {"If-Match": f'"{first.revision()}"'}
        status, text = first.ask_admin("POST", "/api/v1/undo", json.dumps({"to": before}), **seen)
        if status != 200:
            raise SystemExit(f"there is no undo: {status} {text}")

    play(prometheus, "VersionGateUndoStands", undo, lambda: first.reload(fed))

    play(prometheus, "VersionGateRevisionsDiffer",
         lambda: second.reload(rules("2.0", source.port, "# another revision\n")), lambda: second.reload(fed))

    play(prometheus, "VersionGateRulesUnpublished",
         lambda: first.published.rename(first.away), lambda: first.away.rename(first.published))

    closed: list[Backend] = []

    def reopen() -> None:
        closed.append(Backend(backend.port))

    play(prometheus, "VersionGateBackendDown", backend.close, reopen)

    def stop_reading() -> None:
        traffic.pause, traffic.path = 0, "/" + "long" * 1900
        first.reads.clear()

    def read_again() -> None:
        traffic.pause, traffic.path = 0.02, "/"
        first.reads.set()

    play(prometheus, "VersionGateLogLinesDropped", stop_reading, read_again)

    # By now, the census contains all devices, half of which have 2.0, so the denials of a floor of 2.5 are predicted and do
    # not trip the breaker.
    until(lambda: time.monotonic() > begun + 70, "an hour to look back to", 120)
    play(prometheus, "VersionGateDenialsJump",
         lambda: first.reload(rules("2.5", source.port)), lambda: first.reload(fed))

    check_dashboard(prometheus)

    def trip() -> None:
        # For a new app, the prediction is zero.
        first.reload(rules("2.0", source.port).replace("rules:\n", (
            "rules:\n  - { id: web, match: { platform: web }, minimum: \"35.0\", " + LINK + " }\n")))
        connection = http.client.HTTPConnection("127.0.0.1", first.port, timeout=10)
        for number in range(900):
            connection.request("GET", "/", headers={
                "X-App-Platform": "web", "X-App-Version": "4.0", "X-Device-Id": f"web-{number}"})
            connection.getresponse().read()

    play(prometheus, "VersionGateBreakerTripped", trip, lambda: first.ask_admin("POST", "/-/breaker/reset"))

    play(prometheus, "VersionGateCensusStoreAway", redis.stop, redis.start)

    def remove_versions(versions: list[str | None]) -> None:
        traffic.versions, others.versions = versions, versions

    until(lambda: time.monotonic() > begun + 130, "two hours to look back to", 180)
    play(prometheus, "VersionGateVersionsMissing",
         lambda: remove_versions([None]), lambda: remove_versions(["2.0", "3.0"]))

    missing = set(re.findall(r"alert: (\w+)", (ROOT / "deploy/prometheus/alerts.yaml").read_text())) - played
    if missing:
        raise SystemExit(f"no fault is simulated for {', '.join(sorted(missing))}")


if __name__ == "__main__":
    main()
