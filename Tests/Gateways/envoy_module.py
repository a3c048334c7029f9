#!/usr/bin/env python3
"""Checks the module for Envoy in the real Envoy: decisions, reloads under load, and that it agrees with the proxy.

The configuration is the one on docs/gateways/envoy-module.md. Beside Envoy runs a gate that is a proxy, with the same rules.
"""

import argparse
import itertools
import json
import random
import shutil
import sys
import threading
import time
from pathlib import Path

import blocks
import clients
from cases import CURRENT, FORGED, FORGED_ROUTE, IOS, OLD, ROUTE, ROUTED, chosen, denial, route_denied, route_websocket
from envoy import Envoy
from gate import Gate
from gateway import ROUTES
from places import BUILT, ROOT, Certificate

FOLDER = BUILT.with_name("envoy-module")
LIBRARY = ROOT / ".build/release/libversiongate_envoy.so"
STORE = "https://apps.apple.com/app/id1234567890"
RULES = f"""
identity:
  userAgent: '^ShopApp/(?<version>[0-9.]+) \\((?<platform>iOS|Android); build (?<build>[0-9]+)'
unidentified: {{ missing: allow, unreadable: reject, storeUrl: {STORE} }}
exempt: [/health, /public/*]
rules:
  - id: ios
    match: {{ app: com.example.shop, platform: ios }}
    minimum: "3.5.0"
    recommended: "4.0.0"
    blocked: ["3.7.1"]
    storeUrl: {STORE}
  - id: android
    match: {{ app: com.example.shop, platform: android }}
    minimumBuild: 350
    status: 410
    storeUrl: https://play.google.com/store/apps/details?id=com.example.shop
  - id: orders
    match: {{ method: POST, path: /orders/** }}
    minimum: "3.8.0"
    storeUrl: {STORE}
  - id: all
    match: {{ platform: ios, path: /floor/** }}
    minimum: "3.5.0"
    recommended: "4.2.0"
    storeUrl: {STORE}
  - id: payments
    match: {{ platform: ios, path: /v2/payments }}
    minimum: "3.5.0"
    storeUrl: {STORE}
  - id: routed
    match: {{ platform: routed }}
    minimum: "2.0.0"
    storeUrl: {STORE}
  - id: old-api
    match: {{ platform: routed }}
    route: {{ to: legacy, versions: "<4.0.0", otherwise: refuse }}
  - id: closed
    match: {{ path: /closed/** }}
    maintenance: {{ from: 2020-01-01T00:00:00Z, until: 2099-01-01T00:00:00Z }}
    accept: [lockout]
"""
# What the page removes before Envoy selects a route; here, the module itself has to undo the selection of a client.
EARLY = """\
                early_header_mutation_extensions:               # a client must not select a route with it
                  - name: versiongate
                    typed_config:
                      "@type": type.googleapis.com/envoy.extensions.http.early_header_mutation.header_mutation.v3.HeaderMutation
                      mutations: [{ remove: x-versiongate-route }]
"""
# The route to the second backend, in the place and with the settings that would help a client most.
FIRST_ROUTE = "                        - match: { prefix: /reports/ }\n"
LEGACY_ROUTE = """\
                        - match:
                            prefix: /
                            headers: [{ name: x-versiongate-route, string_match: { exact: legacy } }]
                          route: { cluster: legacy, timeout: 60s }
                          typed_per_filter_config:
                            versiongate:
                              "@type": type.googleapis.com/envoy.extensions.filters.http.dynamic_modules.v3.DynamicModuleFilterPerRoute
                              dynamic_module_config: { name: versiongate_envoy }
                              filter_config: { "@type": type.googleapis.com/google.protobuf.StringValue, value: "mode: observe" }
"""
CLUSTERS = "  clusters:\n"
LEGACY_CLUSTER = """\
    - name: legacy
      connect_timeout: 1s
      load_assignment:
        cluster_name: legacy
        endpoints:
          - lb_endpoints:
              - endpoint: {{ address: {{ socket_address: {{ address: 127.0.0.1, port_value: {port} }} }} }}
"""
# What the lines of a response may differ in: Envoy and the gate have their own connections and names.
OWN = {"date", "server", "connection", "content-length", "x-envoy-upstream-service-time", "transfer-encoding"}
METHODS = ["GET", "GET", "POST", "HEAD", "PUT", "OPTIONS", "DELETE"]
TARGETS = [
    "/", "/orders/7", "/orders/7?x=1", "/health", "/public/a", "/a?v=3.4.9", "/graphql", "/orders/%37", "//orders/7",
    "/a/../orders/7", "/x?connect=v1&encoding=json",
]
VERSIONS = [
    "3.4.9", "3.5.0", "3.7.1", "3.8", "4.0.0", "4.1", "3", "abc", "4.0,2.0", "4.0, 2.0", "", "3.5.0-beta.1", "v3.6",
    "10.0",
]
OTHERS = [
    [("Accept", "text/html,application/xhtml+xml")], [("Accept", "application/json")],
    [("Content-Type", "application/grpc")], [("Content-Type", "application/grpc-web+proto")],
    [("Content-Type", "application/connect+json")], [("Connect-Protocol-Version", "1")],
    [("Accept", "application/graphql-response+json")], [("Accept-Language", "ja, en;q=0.5")],
    [("Accept-Language", "de")], [("Origin", "https://web.example")],
    [("Origin", "https://web.example"), ("Access-Control-Request-Method", "GET")],
    [("User-Agent", "ShopApp/3.4.0 (iOS; build 340)")], [("User-Agent", "ShopApp/9.0 (Android; build 900)")],
    [("X-VersionGate", "require")], [("X-VersionGate-Decision", "allow")], [("X-App-Build", "349")],
    [("X-App-Build", "350")], [("X-App-Build", "1,2")], [("Cookie", "a=b")], [("X_App_Version", "9")],
    FORGED_ROUTE,
]


class EnvoyModule(Envoy):
    """Envoy with the module, and a gate as a proxy with the same rules."""

    key, title, page = "envoy-module", "Envoy, module", "envoy-module.md"
    arguments = (
        "-c", "envoy.yaml", "--log-level", "warning", "--component-log-level", "dynamic_modules:info", "--concurrency", "4",
        "--use-dynamic-base-id", "--file-flush-interval-msec", "200",
    )

    def make_gate(self):
        self.proxy_port = self.reserved.reserve()
        arguments = [
            "--listen", f"127.0.0.1:{self.proxy_port}", "--upstream", f"http://127.0.0.1:{self.backend_port}",
            "--upstream-named", f"legacy=http://127.0.0.1:{self.legacy_port}",
        ]
        gate = Gate(self.folder / "gate", self.executable, self.proxy_port, self.reserved.reserve(), arguments)
        gate.rules.write_text(RULES)
        return gate

    def write(self, variant=""):
        # The page has the settings of routes in its diff.
        super().write(ROUTES)
        shutil.copy(LIBRARY, self.folder)
        self.replace_rules(RULES)

    def adapted(self, text):
        text = blocks.replaced(text, EARLY, "")
        text = blocks.replaced(text, FIRST_ROUTE, LEGACY_ROUTE + FIRST_ROUTE)
        return blocks.replaced(text, CLUSTERS, CLUSTERS + LEGACY_CLUSTER.format(port=self.legacy_port))

    def replace_rules(self, text):
        new = self.folder / "rules.new"
        new.write_text(text)
        new.rename(self.folder / "rules.yaml")

    def log(self):
        return (self.folder / "output.log").read_text()

    def await_log(self, text, count=1):
        """Waits until the log has a text so many times."""
        deadline = time.monotonic() + 10
        while self.log().count(text) < count:
            if time.monotonic() > deadline:
                raise TimeoutError(f"Envoy's log lacks: {text}\n{self.log()[-2000:]}")
            time.sleep(0.05)


def get(gateway, path, lines, method="GET"):
    return clients.plain(gateway.port, method, path, lines)


def backend_lines(response, name):
    """Returns the values of a field as the backend received it."""
    return [value for key, value in json.loads(response.body)["lines"] if key.lower() == name]


def check_decisions(gateway):
    yield "old build", denial(get(gateway, "/floor/1", OLD)), "426"
    yield "current build", get(gateway, "/floor/1", CURRENT).status, 200
    twice = [IOS, ("X-App-Version", "4.2.0"), ("X-App-Version", "2.0")]
    yield "two lines with different versions", denial(get(gateway, "/floor/1", twice)), "426"
    equal = get(gateway, "/floor/1", [IOS, *[("X-App-Version", "4.2.0")] * 2])
    yield "two equal lines, at the backend", backend_lines(equal, "x-app-version"), ["4.2.0"]
    hint = get(gateway, "/floor/1", [IOS, ("X-App-Version", "4.0.0")])
    yield "the hint", hint.get("x-versiongate").split(";")[0], "recommend"
    yield "maintenance", denial(get(gateway, "/closed/1", CURRENT), 503, "maintenance"), "503"
    head = get(gateway, "/floor/1", OLD, "HEAD")
    yield "HEAD", f"{head.status}, {len(head.body)}", "426, 0"
    forged = get(gateway, "/floor/1", [*CURRENT, *FORGED, ("X-VersionGate-Preview", "forged")])
    found = [value for _, value in json.loads(forged.body)["lines"] if value == "forged"]
    yield "forged fields that reach the backend", len(found), 0
    yield "the decision, at the backend", backend_lines(forged, "x-versiongate-decision"), ["allow"]
    shop = [("X-App-Id", "com.example.shop"), IOS, ("X-App-Version", "3.4.9")]
    yield "a route that observes", get(gateway, "/reports/1", shop).status, 200
    yield "a route that does not", denial(get(gateway, "/report/1", shop)), "426"
    yield "a route with another path", denial(get(gateway, "/pay/1", shop[1:])), "426"
    yield "the request's own path", get(gateway, "/payments/1", shop[1:]).status, 200
    yield "a route without the filter", get(gateway, "/.versiongate/status", OLD).status, 200


def check_uploads(gateway):
    """Denied uploads that pause after 1,000 bytes, and whether the denial arrives during the pause."""
    for size, pause, expected in ((2000, 0.5, "426"), (2000, 4, "426 early"), (100_000, 0.5, "426 early")):
        response, early = clients.upload(gateway.port, "/floor/1", OLD, size, sent=1000, pause=pause)
        yield f"an upload of {size} bytes that pauses for {pause} s", denial(response) + " early" * early, expected


def check_routes(gateway):
    """The backend that a rule with `route` selects, and the X-VersionGate-Route that the backend receives."""
    def backend(path, lines):
        return chosen(get(gateway, path, lines), path)

    old, current = ROUTED
    yield "a rule with a route, old build", backend("/routed", old), "legacy"
    yield "a rule with a route, current build", backend("/routed", current), "current"
    yield "the same, WebSocket", route_websocket(gateway), "the other backend"
    yield "a current build that sends X-VersionGate-Route", backend("/routed", current + FORGED_ROUTE), "current"
    yield "the same without a version", backend("/routed", FORGED_ROUTE), "current"
    yield "an old build that sends it with another name", backend("/routed", [*old, (ROUTE, "current")]), "legacy"
    yield "a rule with a route, and a route of Envoy that observes", backend("/reports/routed", old), "current"
    forged = get(gateway, "/pay/1", OLD + FORGED_ROUTE)
    yield "X-VersionGate-Route of a client, and a route of Envoy with another path", denial(forged), "426"
    yield "the same, without settings of the route", denial(get(gateway, "/floor/1", OLD + FORGED_ROUTE)), "426"
    yield "a rule with a route, denied build", route_denied(gateway), "426"


def check_log(gateway):
    get(gateway, "/floor/logged", OLD)
    time.sleep(0.6)
    lines = [json.loads(line) for line in gateway.log().splitlines() if line.startswith("{")]
    found = [line for line in lines if line["path"] == "/floor/logged"]
    text = ", ".join(str(found[0].get(name)) for name in ("decision", "rule", "details")) if found else "no line"
    yield "the access log", text, "require, all, versiongate_require"


def outcomes(gateway, path):
    """Returns the different statuses, decisions and rules of the log's lines with paths like this."""
    lines = [json.loads(line) for line in gateway.log().splitlines() if line.startswith("{") and line.endswith("}")]
    return sorted({f"{line['status']}, {line['decision']}, {line['rule']}" for line in lines if path in line["path"]})


def check_streams(gateway):
    """An event stream and a WebSocket that are open while the rules change."""
    rule = f"""
  - id: streams
    match: {{ platform: ios, path: /events/** }}
    minimum: "4.1.0"
    storeUrl: {STORE}
    accept: [lockout]
"""
    count = gateway.log().count("rules loaded")

    def replace(text, number):
        gateway.replace_rules(text)
        gateway.await_log("rules loaded", count + number)

    lines = [IOS, ("X-App-Version", "4.0.0")]
    with (
        clients.EventStream(gateway.port, "/events/1", lines) as denied,
        clients.EventStream(gateway.port, "/events/1", CURRENT) as current,
        clients.EventStream(gateway.port, "/events-of-others", lines) as other,
    ):
        replace(RULES + rule, 1)
        yield "an event stream of a client that new rules deny ends", denied.ends(), True
        yield "one of another client ends", current.ends(1), False
        yield "one with another path ends", other.ends(1), False
    replace(RULES, 2)
    passed = clients.websocket(gateway.port, "/events/socket", lines, lambda: replace(RULES + "\n", 3))
    yield "an idle WebSocket of a client that new rules let pass", (passed.status, passed.body), (101, b"ping")
    changed = []

    def deny():
        replace(RULES + rule, 4)
        changed.append(time.monotonic())

    cut = clients.websocket(gateway.port, "/events/socket", lines, deny, is_idle=True)
    yield "an idle WebSocket of a client that new rules deny ends", (cut.status, cut.body), (101, b"")
    yield "within two seconds", time.monotonic() - changed[0] < 2, True
    expected = ["101, allow, None", "101, require, streams", "200, allow, None", "200, require, streams"]
    deadline = time.monotonic() + 10
    while (found := outcomes(gateway, "/events/")) != expected and time.monotonic() < deadline:
        time.sleep(0.1)
    yield "their lines in the log", found, expected
    replace(RULES, 5)


def check_reload(gateway, revisions):
    """Under load, each response is by one revision, and a broken file keeps the last good one."""
    def revision(number):
        # A later floor is not a stricter one of the same rule, so that no finding refuses the change.
        return RULES + f"""
  - id: load
    match: {{ platform: load }}
    minimum: "{number}.0.0"
    storeUrl: https://example.com/{number}
"""
    stop, mixed, answers = threading.Event(), [], itertools.count()

    def load():
        while not stop.is_set():
            response = get(gateway, "/load", [("X-App-Platform", "load"), ("X-App-Version", "1.0")])
            next(answers)
            if response.status != 426:
                mixed.append(response.status)
                continue
            body = json.loads(response.body)
            if body["minimumVersion"] != body["storeUrl"].rsplit("/", 1)[1] + ".0.0":
                mixed.append(body)

    before = gateway.log().count("rules loaded")
    gateway.replace_rules(revision(2))
    gateway.await_log("rules loaded", before + 1)
    threads = [threading.Thread(target=load) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for number in range(3, revisions + 3):
            gateway.replace_rules(revision(number))
            gateway.await_log("rules loaded", before + number - 1)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    yield "responses by half of two revisions, or none", len(mixed), 0
    yield "responses under load, at least 200", next(answers) > 200, True
    gateway.replace_rules("rules: [")
    gateway.await_log("rules not loaded; keeping revision")
    old = get(gateway, "/load", [("X-App-Platform", "load"), ("X-App-Version", f"{revisions + 1}.0")])
    yield "a broken file keeps the last good rules", denial(old), "426"
    gateway.replace_rules(RULES)
    gateway.await_log("rules loaded", before + revisions + 2)


def sample(source):
    """Returns a random request, like AgreementSample in the tests of the gate."""
    lines = [("X-App-Id", "com.example.shop")] if source.random() < 0.9 else []
    if source.random() < 0.9:
        lines.append(("X-App-Platform", source.choice(["ios", "ios", "android", "iOS", "windows", "routed"])))
    lines += [("X-App-Version", source.choice(VERSIONS)) for _ in range(source.choice([1, 1, 1, 1, 0, 2]))]
    for _ in range(source.randrange(4)):
        more = source.choice(OTHERS)
        # Envoy joins the lines of standard fields before any filter sees them.
        if not {name for name, _ in more} & {name for name, _ in lines}:
            lines += more
    return source.choice(METHODS), source.choice(TARGETS), lines


def outcome(response, method):
    """Returns what the client sees of a response, and what the backend got."""
    fields = sorted((name.lower(), value) for name, value in response.lines if name.lower() not in OWN)
    if response.status != 200 or response.get("grpc-status") or method == "HEAD" or not response.body.startswith(b"{\"ba"):
        return response.status, fields, response.body
    got = json.loads(response.body)
    own = ("x-app-", "x_app", "x-versiongate", "user-agent", "cookie", "accept", "origin", "content-type")
    lines = sorted((name.lower(), value) for name, value in got["lines"] if name.lower().startswith(own))
    return response.status, fields, (got["backend"], got["method"], got["path"], lines)


def check_agreement(gateway, count):
    source, different, denied = random.Random(55), 0, 0
    for _ in range(count):
        method, target, lines = sample(source)
        ours = outcome(get(gateway, target, lines, method), method)
        proxy = outcome(clients.plain(gateway.proxy_port, method, target, lines), method)
        denied += proxy[0] != 200
        if ours != proxy:
            different += 1
            if different < 5:
                print(f"{method} {target} {lines}\n  module {ours}\n  proxy  {proxy}")
    yield f"requests of {count} in which module and proxy differ", different, 0
    yield "a part of them denied", count / 10 < denied < count * 9 / 10, True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gate", default=ROOT / ".build/release/versiongate", type=Path, help="the executable")
    parser.add_argument("--requests", default=5000, type=int, help="the number of random requests")
    parser.add_argument("--revisions", default=20, type=int, help="the number of reloads under load")
    given = parser.parse_args()
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    gateway = EnvoyModule(FOLDER / EnvoyModule.key, given.gate.resolve(), Certificate(FOLDER))
    passed = failed = 0
    try:
        gateway.start()
        checks = (
            check_decisions(gateway), check_uploads(gateway), check_routes(gateway), check_log(gateway), check_streams(gateway),
            check_reload(gateway, given.revisions), check_agreement(gateway, given.requests),
        )
        for title, value, expected in itertools.chain(*checks):
            is_right = value == expected
            passed, failed = passed + is_right, failed + (not is_right)
            print(f"{gateway.key}: {title}: {value}" + ("" if is_right else f" instead of {expected}"), flush=True)
    finally:
        gateway.stop()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
