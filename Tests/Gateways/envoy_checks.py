#!/usr/bin/env python3
"""Checks what only Envoy has: the fields of a real CheckRequest, context extensions, WebSockets over HTTP/2, and the log."""

import argparse
import json
import shutil
import signal
import ssl
import sys
import time
from pathlib import Path

import blocks
import clients
from cases import CURRENT, FORGED, IOS, MEGABYTE, OLD, denial
from envoy import Envoy, EnvoyHTTP
from gate import Gate
from places import BUILT, ROOT, Certificate

FOLDER = BUILT.with_name("envoy-checks")
STORE = "https://apps.apple.com/app/id1234567890"
# The rules for the routes of shop.example.com, whose paths begin with /shop only for the gate.
RULES = f"""
unidentified: {{ missing: allow, unreadable: reject, storeUrl: {STORE} }}
rules:
  - id: shop
    match: {{ app: com.example.shop, path: /shop/checkout/** }}
    minimum: "4.0.0"
    storeUrl: {STORE}
  - id: all
    match: {{ platform: ios, path: /orders/** }}
    minimum: "3.5.0"
    storeUrl: {STORE}
  - id: closed
    match: {{ path: /closed/** }}
    maintenance: {{ from: 2020-01-01T00:00:00Z, until: 2099-01-01T00:00:00Z }}
    accept: [lockout]
"""
WITH_BODY = """                      with_request_body: { max_request_bytes: 8192, allow_partial_message: true }
"""
ENDPOINT = "              - endpoint: {{ address: {{ socket_address: {{ address: 127.0.0.1, port_value: {port} }} }} }}\n"
# Envoy's health check finds out in one second.
DRAIN_SECONDS = 3
BEFORE_BODY = "                      failure_mode_allow: true"


class Checked(Envoy):
    """Envoy with the rules of these checks, and with a second gate."""

    def make_gate(self):
        gates = [super(Checked, self).make_gate()]
        ports = self.reserved.reserve(), self.reserved.reserve()
        gates.append(Gate(self.folder / "second", self.executable, *ports))
        for gate in gates:
            gate.arguments += ["--drain-delay", str(DRAIN_SECONDS)]
            gate.rules.write_text(RULES)
        self.second = gates[1]
        return gates[0]

    def adapted(self, text):
        first, second = (ENDPOINT.format(port=port) for port in (self.gate.port, self.second.port))
        return blocks.replaced(text, first, first + second)

    def start(self):
        self.second.start()
        super().start()

    def stop(self):
        super().stop()
        self.second.stop()


class CheckedHTTP(Checked, EnvoyHTTP):
    """The same for HTTP."""


class CheckedBody(Checked):
    """Envoy that sends the first 8 KiB of each body to the gate."""

    key = "envoy-body"

    def adapted(self, text):
        return blocks.replaced(super().adapted(text), BEFORE_BODY, WITH_BODY + BEFORE_BODY)


def send(gateway, path, lines, host="api.example.com", method="GET"):
    with clients.connect(gateway.port) as connection:
        whole = [("Host", host), *lines, ("Connection", "close")]
        connection.sendall(clients.head(method, path, whole))
        return clients.receive(connection, method, time.monotonic())


def backend_lines(response, name):
    """Returns the values of a field as the backend received it."""
    return [value for key, value in json.loads(response.body)["lines"] if key.lower() == name]


def websocket(gateway, lines):
    """Opens a WebSocket over HTTP/2 (RFC 8441), and returns the status and the echo of a frame, or the denial."""
    import h2.config
    import h2.connection
    import h2.events

    context = ssl.create_default_context(cafile=gateway.certificate.authority)
    context.set_alpn_protocols(["h2"])
    with context.wrap_socket(clients.connect(gateway.tls_port, 8), server_hostname="localhost") as connection:
        # h2 treats the pseudo field :protocol as an error.
        settings = h2.config.H2Configuration(header_encoding="utf-8", validate_outbound_headers=False)
        state = h2.connection.H2Connection(settings)
        state.initiate_connection()
        state.send_headers(1, [
            (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "https"), (":path", "/orders/socket"),
            (":authority", "localhost"), ("sec-websocket-version", "13"),
            # RFC 8441 needs no key, but Envoy makes none for a backend with HTTP/1.1.
            ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="), *((name.lower(), value) for name, value in lines),
        ])
        result = clients.Response()
        while True:
            connection.sendall(state.data_to_send())
            for event in state.receive_data(connection.recv(65536)):
                if isinstance(event, h2.events.ResponseReceived):
                    result.lines = list(event.headers)
                    result.status = int(dict(event.headers)[":status"])
                    if result.status == 200:
                        state.send_data(1, bytes([0x81, 0x84, 0, 0, 0, 0]) + b"ping")
                elif isinstance(event, h2.events.DataReceived):
                    result.body += event.data
                    if result.status == 200:
                        return result
                elif isinstance(event, (h2.events.StreamEnded, h2.events.StreamReset)):
                    return result


def log(gateway):
    """Returns Envoy's access log, which it writes five times a second."""
    time.sleep(0.6)
    lines = (gateway.folder / "output.log").read_text().splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def check_socket(gateway):
    yield "WebSocket over HTTP/2, old build", denial(websocket(gateway, OLD)), "426"
    response = websocket(gateway, CURRENT)
    yield "WebSocket over HTTP/2, current build", f"{response.status}, {response.body[2:].decode()}", "200, ping"


def check_fields(gateway):
    twice = [IOS, ("X-App-Version", "4.2.0"), ("X-App-Version", "4.2.0")]
    response = send(gateway, "/orders/1", twice)
    # Over HTTP, the gate cannot remove a field from the request.
    expected = "4.2.0, 4.2.0" if isinstance(gateway, EnvoyHTTP) else "4.2.0"
    yield "two equal lines", ", ".join(backend_lines(response, "x-app-version")), expected
    yield "two different lines", denial(send(gateway, "/orders/1", [IOS, *twice[1:2], ("X-App-Version", "2.0")])), "426"
    yield "an old build that names another method", denial(send(gateway, "/orders/1", OLD, method="DELETE")), "426"
    response = send(gateway, "/orders/1", [*CURRENT, *FORGED, ("X-VersionGate-Preview", "forged")])
    found = [value for _, value in json.loads(response.body)["lines"] if value == "forged"]
    yield "forged fields that reach the backend", len(found), 0
    yield "decision for the backend", ", ".join(backend_lines(response, "x-versiongate-decision")), "allow"
    # A CheckResponse with content that is not text would be a failure of the gate, and the request would pass.
    for kind in ("grpc", "grpc-web+proto", "grpc-web-text", "connect+json", "connect+proto"):
        response = send(gateway, "/orders/1", [*OLD, ("Content-Type", f"application/{kind}")], method="POST")
        yield f"an old build with application/{kind}", response.get("x-versiongate"), "require"
    response = send(gateway, "/orders/1", OLD, method="HEAD")
    yield "content of HEAD", f"{response.status}, {len(response.body)}", "426, 0"
    yield "without a version", send(gateway, "/orders/1", []).status, 200


def check_scope(gateway):
    shop = "shop.example.com"
    yield "app and prefix of the route", denial(send(gateway, "/checkout/1", OLD, shop)), "426"
    lie = [*OLD, ("X-App-Id", "com.example.other")]
    yield "a client that names another app", denial(send(gateway, "/checkout/1", lie, shop)), "426"
    response = send(gateway, "/checkout/1", [*CURRENT, ("X-App-Id", "com.example.other")], shop)
    yield "the path that the backend gets", json.loads(response.body)["path"], "/checkout/1"
    yield "another path of the route", send(gateway, "/help", OLD, shop).status, 200
    yield "another route", send(gateway, "/checkout/1", OLD).status, 200


def check_maintenance(gateway):
    # Over HTTP, the gate sends 429, which Envoy's local_reply_config replaces, and the status in a field.
    expected = "503, x-versiongate-status too" if isinstance(gateway, EnvoyHTTP) else "503"
    yield "maintenance", denial(send(gateway, "/closed/1", CURRENT), 503, "maintenance"), expected


def check_log(gateway):
    send(gateway, "/orders/logged", OLD)
    found = [line for line in log(gateway) if line["path"] == "/orders/logged"]
    names = ("decision", "rule", "details")
    text = ", ".join(str(found[0].get(name)) for name in names) if found else "no line"
    expected = "require, None, ext_authz_denied" if isinstance(gateway, EnvoyHTTP) else "require, all, ext_authz_denied"
    yield "the access log", text, expected


def check_body(gateway):
    response, _ = clients.upload(gateway.port, "/orders/1", OLD, MEGABYTE)
    yield "with_request_body, old build", denial(response), "426"
    response, _ = clients.upload(gateway.port, "/orders/1", CURRENT, MEGABYTE)
    yield "with_request_body, current build", json.loads(response.body)["bytes"], MEGABYTE


def check_drain(gateway):
    """One of two gates is stopped: each old build must still be denied."""
    gateway.second.process.process.send_signal(signal.SIGTERM)
    deadline, statuses = time.monotonic() + DRAIN_SECONDS + 3, []
    while time.monotonic() < deadline:
        statuses.append(send(gateway, "/orders/1", OLD).status)
        time.sleep(0.01)
    yield "two gates, one is stopped", ", ".join(map(str, sorted(set(statuses)))), "426"


CHECKS = {
    Checked: (check_socket, check_fields, check_scope, check_maintenance, check_log, check_drain),
    CheckedHTTP: (check_socket, check_fields, check_maintenance, check_log, check_drain),
    CheckedBody: (check_body,),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gate", default=ROOT / ".build/release/versiongate", type=Path, help="the executable")
    given = parser.parse_args()
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    certificate, passed, failed = Certificate(FOLDER), 0, 0
    for kind, checks in CHECKS.items():
        gateway = kind(FOLDER / kind.key, given.gate.resolve(), certificate)
        try:
            gateway.start()
            time.sleep(1)
            for check in checks:
                for title, value, expected in check(gateway):
                    is_right = value == expected
                    passed, failed = passed + is_right, failed + (not is_right)
                    print(f"{kind.key}: {title}: {value}" + ("" if is_right else f" instead of {expected}"), flush=True)
        finally:
            gateway.stop()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
