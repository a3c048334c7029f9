"""The cases: each one sends requests through a gateway, and returns the text of its cell."""

import json
import threading
import time
from dataclasses import dataclass
from typing import Callable

import clients
from gateway import OTHER, ROUTES

MEGABYTE = 1 << 20
IOS = ("X-App-Platform", "ios")
OLD = [IOS, ("X-App-Version", "3.4.9")]
WARNED = [IOS, ("X-App-Version", "4.0.0")]
CURRENT = [IOS, ("X-App-Version", "4.2.0")]
JAPANESE = [("Accept-Language", "ja")]
TITLE, MESSAGE = "アップデートが必要です", "バージョン3.4.9は使用できません。3.5.0以降に更新してください。"
BROWSER = [("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")]
METHOD = "/example.Echo/Call"
ROUTE = "X-VersionGate-Route"


@dataclass(frozen=True)
class Case:
    name: str
    title: str
    run: Callable
    # --quick leaves out a case that is slow, or needs packages that `make test` lacks (h2).
    slow: bool = False
    # The variant of the configuration that the case needs.
    variant: str = ""


def seen(gateway, port=None):
    """Returns the paths that the backend received, or the one on another port."""
    return json.loads(clients.plain(port or gateway.backend_port, "GET", "/-/seen", []).body)["seen"]


def failure(response, wanted):
    """Returns what differs at first glance: no response, or another status."""
    if not response.status:
        return response.error or "no response"
    if response.status != wanted:
        return f"{response.status}" + (", no body" if not response.body else "")
    return ""


def denial(response, wanted=426, decision="require", body=True):
    """Returns the status, followed by what the denial lacks."""
    if text := failure(response, wanted):
        return text
    lacks = []
    if response.get("x-versiongate") != decision:
        lacks.append("X-VersionGate")
    if response.get("cache-control") != "no-store":
        lacks.append("Cache-Control")
    if len(response.all("vary")) != 1 or "accept-language" not in response.get("vary").lower():
        lacks.append("Vary")
    if body:
        if not response.get("content-type").startswith("application/problem+json"):
            lacks.append("Content-Type")
        try:
            members = json.loads(response.body)
        except ValueError:
            members = {}
        if not members.get("title") or not members.get("message"):
            lacks.append("body")
    extra = [name for name in ("x-versiongate-body", "x-versiongate-status") if response.get(name)]
    text = f"{wanted}" + (f", no {', '.join(lacks)}" if lacks else "")
    return text + (f", {', '.join(extra)} too" if extra else "")


def japanese(gateway, response):
    text = denial(response)
    if not text.startswith("426"):
        return text
    if response.get("content-language") != "ja":
        text += ", no Content-Language"
    try:
        members = json.loads(response.body)
    except ValueError:
        return text
    if (members.get("title"), members.get("message")) != (TITLE, MESSAGE):
        text += ", other texts"
    return text + (", sent to the backend" if any(path.startswith("/old") for path in seen(gateway)) else "")


def get(gateway):
    return japanese(gateway, clients.plain(gateway.port, "GET", "/old?q=1", OLD + JAPANESE))


def get2(gateway):
    return japanese(gateway, gateway.curl("/old2?q=1", OLD + JAPANESE))


def page(gateway):
    response = clients.plain(gateway.port, "GET", "/page", OLD + BROWSER)
    if text := failure(response, 426):
        return text
    kind = response.get("content-type").split(";")[0]
    if kind == "text/html" and b"<html" in response.body:
        return "the page"
    return f"426, {kind}" + ("" if response.body.startswith(b"{") else ", other body")


def head(gateway):
    response = clients.plain(gateway.port, "HEAD", "/head", OLD)
    return denial(response, body=False)


def origin(gateway):
    response = clients.plain(gateway.port, "GET", "/origin", [*OLD, ("Origin", "https://app.example.com")])
    text = denial(response)
    allowed = response.get("access-control-allow-origin")
    exposed = ",".join(response.all("access-control-expose-headers")).lower()
    if allowed not in ("*", "https://app.example.com"):
        text += ", no Access-Control-Allow-Origin"
    return text if "x-versiongate" in exposed else f"{text}, X-VersionGate not exposed"


def hint(status):
    def run(gateway):
        response = clients.plain(gateway.port, "GET", f"/status/{status}/hint", WARNED)
        if text := failure(response, status):
            return text
        if len(response.all("x-versiongate")) > 1:
            return "the hint twice"
        return "the hint" if response.get("x-versiongate").startswith("recommend") else "passes without the hint"
    return run


def doubled(gateway):
    lines = [IOS, ("X-App-Version", "4.2.0"), ("X-App-Version", "2.0")]
    return denial(clients.plain(gateway.port, "GET", "/doubled", lines))


def own_403(gateway):
    response = clients.plain(gateway.port, "GET", "/status/403/own", CURRENT)
    if text := failure(response, 403):
        return text
    return "403 of the backend" if b'"path"' in response.body else "403, other body"


FORGED = [
    ("X-VersionGate", "forged"), ("X-VersionGate-Decision", "forged"), ("X-VersionGate-Status", "forged"),
    ("X-VersionGate-Body", "forged"), ("X-VersionGate-Route", "forged"),
]


def forged(gateway):
    response = clients.plain(gateway.port, "GET", "/forged", CURRENT + FORGED)
    if text := failure(response, 200):
        return text
    lines = json.loads(response.body)["lines"]
    found = sorted(name.lower() for name, value in lines if value == "forged")
    if any(value == "forged" for _, value in response.lines):
        return "sent back to the client"
    return f"the backend sees {', '.join(found)}" if found else "removed"


def forged_target(gateway):
    """A client that forges the fields in which gateways describe the method and the path of its request."""
    lies = [(name, "/.versiongate/status") for name in ("X-Forwarded-Uri", "X-Original-URI", "X-Original-URL")]
    lies += [(name, "OPTIONS") for name in ("X-Forwarded-Method", "X-Original-Method")]
    lies += [("Origin", "https://a.example"), ("Access-Control-Request-Method", "GET")]
    return denial(clients.plain(gateway.port, "GET", "/forged-target", OLD + lies))


def refused(gateway, response, path):
    """Returns the status of a response to an old build, which the backend must not receive."""
    if not response.status:
        return response.error or "no response"
    return f"{response.status}" + (", sent to the backend" if path in seen(gateway) else "")


def more_fields(build, count):
    def run(gateway):
        path = f"/more{count}"
        lines = [*build, *((f"X-More-{index}", "1") for index in range(count))]
        response = clients.plain(gateway.port, "GET", path, lines)
        return "passes" if build is CURRENT and response.status == 200 else refused(gateway, response, path)
    return run


def long_head(gateway):
    path = "/long?" + "x" * 7000
    return refused(gateway, clients.plain(gateway.port, "GET", path, [*OLD, ("X-Long", "x" * 7000)]), path)


def other_host(gateway):
    path = "/host"
    return refused(gateway, clients.plain(gateway.port, "GET", path, OLD, host="a,b"), path)


def asterisk(gateway):
    return refused(gateway, clients.plain(gateway.port, "OPTIONS", "*", OLD), "*")


def no_host(gateway):
    """A request over HTTP/1.0, which needs no Host."""
    began, path = time.monotonic(), "/no-host"
    try:
        with clients.connect(gateway.port, 10) as connection:
            lines = "".join(f"{name}: {value}\r\n" for name, value in OLD)
            connection.sendall(f"GET {path} HTTP/1.0\r\n{lines}\r\n".encode())
            return refused(gateway, clients.receive(connection, "GET", began), path)
    except (OSError, clients.http.client.HTTPException) as error:
        return type(error).__name__


DESCRIPTION = [
    (name, value) for kind in ("Forwarded", "Original")
    for name, value in ((f"X-{kind}-Method", "GET"), (f"X-{kind}-URI", "/"))
]


def parents(gateway):
    """A client that sends an authorization request, with a path that leads to /.versiongate/ without its `..`."""
    for path in ("/decide/envoy/../../.versiongate/status", "/.versiongate/../decide/traefik"):
        response = clients.plain(gateway.port, "GET", path, CURRENT + DESCRIPTION)
        if not response.status:
            return response.error
        if response.get("x-versiongate-decision"):
            return "reached"
    return "not reached"


def address(gateway):
    """A client that forges its address; the gate's access log has the one that it uses."""
    path = "/address"
    clients.plain(gateway.port, "GET", path, [*OLD, ("X-Forwarded-For", "203.0.113.9")])
    found = gateway.gate.logged(path)
    if not found:
        return "not logged"
    # Envoy has an address of this machine for clients on it.
    return "trusted" if "203.0.113.9" in found else "ignored"


def preview(gateway):
    """A tester's signed header: the gate applies it, and the backend does not see it."""
    lines = [*CURRENT, gateway.gate.preview("require")]
    text = denial(clients.plain(gateway.port, "GET", "/preview", lines))
    status = clients.plain(gateway.port, "GET", "/.versiongate/status?path=/preview", lines)
    if failure(status, 200) or json.loads(status.body).get("decision") != "require":
        text += ", not in the status"
    lines = [*CURRENT, gateway.gate.preview("recommend")]
    response = clients.plain(gateway.port, "GET", "/preview-recommended", lines)
    if problem := failure(response, 200):
        return f"{text}, then {problem}"
    names = {name.lower() for name, _ in json.loads(response.body)["lines"]}
    return text + (", the backend sees it" if "x-versiongate-preview" in names else "")


def signed_pass(gateway):
    """A signed header that lifts denials: the gate obeys it, and the backend does not see it."""
    lines = [*OLD, gateway.gate.signed_pass()]
    response = clients.plain(gateway.port, "GET", "/pass", lines)
    if problem := failure(response, 200):
        return problem
    status = clients.plain(gateway.port, "GET", "/.versiongate/status?path=/pass", lines)
    text = "passes"
    if failure(status, 200) or json.loads(status.body).get("decision") != "allow":
        text += ", not in the status"
    names = {name.lower() for name, _ in json.loads(response.body)["lines"]}
    return text + (", the backend sees it" if "x-versiongate-pass" in names else "")


def upload_refused(gateway):
    response, early = clients.upload(gateway.port, "/upload-old", OLD, 30 * MEGABYTE, sent=1000)
    return denial(response) + (" at once" if early else " later")


def upload_refused2(gateway):
    response = clients.upload_h2(gateway.certificate.authority, gateway.tls_port, "/upload-old2", OLD, 3 * MEGABYTE)
    return denial(response)


def upload_passes(gateway):
    response, _ = clients.upload(gateway.port, "/upload", CURRENT, 30 * MEGABYTE)
    return passed_upload(response)


def upload_passes2(gateway):
    file = gateway.folder / "30mb"
    file.write_bytes(bytes(30 * MEGABYTE))
    response = gateway.curl("/upload2", CURRENT, "--data-binary", f"@{file}")
    file.unlink()
    return passed_upload(response)


def passed_upload(response):
    if text := failure(response, 200):
        return text
    size = json.loads(response.body)["bytes"]
    return "passes" if size == 30 * MEGABYTE else f"{size} bytes"


def grpc(build, extra=()):
    def run(gateway):
        metadata = [(name.lower(), value) for name, value in build]
        code, words, found, answer = clients.call(gateway.certificate.authority, gateway.tls_port, METHOD, metadata)
        # The words are percent-encoded once by the gate; a second time would show.
        if code == "FAILED_PRECONDITION":
            text = code if "3.5.0" in words and "%" not in words else f"{code}, other words"
            return text if found.get("x-versiongate") == "require" else f"{text}, no X-VersionGate"
        if code == "OK":
            return "passes" if answer.endswith(b"ping") else "OK, other message"
        return code
    return run


def grpc_plain(gateway):
    """A request for a gRPC method that is no gRPC call, such as one of a Connect client."""
    return denial(clients.plain(gateway.port, "GET", METHOD, OLD))


def websocket_old(gateway):
    return denial(clients.websocket(gateway.port, "/socket", OLD))


def websocket_current(gateway):
    response = clients.websocket(gateway.port, "/socket", CURRENT)
    if text := failure(response, 101):
        return text
    return "opens" if response.body == b"ping" else "101, no echo"


def preflight(gateway):
    lines = [*OLD, ("Origin", "https://app.example.com"), ("Access-Control-Request-Method", "PUT")]
    response = clients.plain(gateway.port, "OPTIONS", "/preflight", lines)
    if text := failure(response, 200):
        return text
    return "passes" if json.loads(response.body)["method"] == "OPTIONS" else "other method"


def maintenance(gateway):
    response = clients.plain(gateway.port, "GET", "/maintenance/x", CURRENT)
    text = denial(response, 503, "maintenance")
    return text if response.get("retry-after").isdigit() else f"{text}, no Retry-After"


def gone(gateway):
    lines = [("X-App-Platform", "gone"), ("X-App-Version", "2.5.0")]
    return denial(clients.plain(gateway.port, "GET", "/gone", lines), 410)


def status(gateway):
    response = clients.plain(gateway.port, "GET", "/.versiongate/status?path=/x", OLD)
    if text := failure(response, 200):
        return text
    return "require" if json.loads(response.body).get("decision") == "require" else "other decision"


def events(gateway):
    response = clients.first_event(gateway.port, "/.versiongate/events?path=/x", OLD)
    if text := failure(response, 200):
        return text
    return "the event" if b'"decision":"require"' in response.body else "other event"


def reload(gateway):
    """Requests without pause while the floor is raised: no old build may pass after the reload has ended."""
    lines = [("X-App-Platform", "reload"), ("X-App-Version", "2.5.0")]
    results, ended = [], threading.Event()

    def send():
        while not ended.is_set():
            began = time.monotonic()
            results.append((began, clients.plain(gateway.port, "GET", "/reload/x", lines)))

    threads = [threading.Thread(target=send, daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        time.sleep(0.7)
        gateway.gate.write("3.0.0")
        started = time.monotonic()
        gateway.gate.reload()
        done = time.monotonic()
        time.sleep(0.7)
    finally:
        ended.set()
        for thread in threads:
            thread.join()
        gateway.gate.write("2.0.0")
    gateway.gate.reload()
    before = [response for began, response in results if began + response.seconds < started]
    after = [response for began, response in results if began > done]
    between = [response for _, response in results if response.status not in (200, 426)]
    if not before or not after:
        return "too few requests"
    wrong = sum(response.status != 200 for response in before)
    late = sum(response.status != 426 for response in after)
    if wrong or late or between:
        return f"{wrong} of {len(before)} wrong before, {late} of {len(after)} after, {len(between)} other"
    return "right"


def timed(response):
    seconds = round(response.seconds)
    when = "at once" if response.seconds < 0.7 else f"after {seconds} s"
    if not response.status:
        known = {"TimeoutError": "no response", "ConnectionRefusedError": "connection refused"}
        return known.get(response.error) or f"{response.error} {when}"
    what = "passes" if response.status == 200 else str(response.status)
    return f"{what} {when}"


def slow(gateway):
    """A gate that accepts connections and does not respond."""
    gateway.gate.suspend()
    try:
        return timed(clients.plain(gateway.port, "GET", "/slow", CURRENT))
    finally:
        gateway.gate.resume()
        recovered(gateway)


def down(gateway):
    """A gate that was killed. Where health checks find out, one second passes first."""
    gateway.gate.kill()
    time.sleep(1.5)
    try:
        return timed(clients.plain(gateway.port, "POST", "/down", CURRENT))
    finally:
        gateway.gate.start()
        recovered(gateway)


def recovered(gateway):
    """Returns whether an old build is denied again within ten seconds."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if clients.plain(gateway.port, "GET", "/back", OLD, 5).status == 426:
            return True
        time.sleep(0.1)
    return False


def back(gateway):
    gateway.gate.kill()
    clients.plain(gateway.port, "GET", "/away", CURRENT)
    gateway.gate.start()
    return "denied again" if recovered(gateway) else "not denied within 10 s"


def routed(version):
    return [("X-App-Platform", "routed"), ("X-App-Version", version)]


# Clients for which the rules have a route, and the same without one.
ROUTED = (routed("3.9.9"), routed("4.0.0"))
FORGED_ROUTE = [(ROUTE, "legacy")]


def chosen(response, path):
    """Returns the backend that received a request, followed by what it received incorrectly."""
    if text := failure(response, 200):
        return text
    members = json.loads(response.body)
    text, found = members["backend"], [value for name, value in members["lines"] if name.lower() == ROUTE.lower()]
    if found != (["legacy"] if text == "legacy" else []):
        text += f", {ROUTE}: {', '.join(found) or 'none'}"
    return text if members["path"] == path else f"{text}, {members['path']}"


def by_version(names):
    """Returns the cell for the backends of an old build and of a current one."""
    old, current = names
    return "the other backend" if (old, current) == ("legacy", "current") else f"old: {old}; current: {current}"


def route(gateway):
    path = "/route/a%20b?q=%20"
    return by_version(chosen(clients.plain(gateway.port, "GET", path, lines), path) for lines in ROUTED)


def route2(gateway):
    """An upload over HTTP/2."""
    path, names = "/route2", []
    for lines in ROUTED:
        response = clients.upload_h2(gateway.certificate.authority, gateway.tls_port, path, lines, 3 * MEGABYTE)
        size = json.loads(response.body or "{}").get("bytes")
        names.append(chosen(response, path) + ("" if size == 3 * MEGABYTE else f", {size} bytes"))
    return by_version(names)


def chosen_for_call(gateway, lines):
    """Returns the backend that received a gRPC call."""
    metadata = [(name.lower(), value) for name, value in lines]
    code, _, _, answer = clients.call(gateway.certificate.authority, gateway.tls_port, METHOD, metadata, b"")
    return code if code != "OK" else chosen(clients.Response(200, body=answer), METHOD)


def route_grpc(gateway):
    return by_version(chosen_for_call(gateway, lines) for lines in ROUTED)


def route_websocket(gateway):
    names = []
    for index, lines in enumerate(ROUTED):
        path = f"/route-socket/{index}"
        response = clients.websocket(gateway.port, path, lines)
        is_legacy = path in seen(gateway, gateway.legacy_port)
        names.append(failure(response, 101) or ("legacy" if is_legacy else "current"))
    return by_version(names)


def route_denied(gateway):
    path = "/route-denied"
    text = denial(clients.plain(gateway.port, "GET", path, routed("1.9.0")))
    is_sent = path in seen(gateway) + seen(gateway, gateway.legacy_port)
    return text + (", sent to a backend" if is_sent else "")


def route_forged(gateway):
    """Clients that name the backend of a route that is not theirs, or not the backend of their own."""
    path, (old, current) = "/route-forged", ROUTED
    names = [
        chosen(clients.plain(gateway.port, "GET", path, current + FORGED_ROUTE), path),
        chosen(clients.plain(gateway.port, "GET", path, FORGED_ROUTE), path),
        chosen(gateway.curl(path, current + FORGED_ROUTE), path),
    ]
    # Not all gateways forward gRPC calls.
    if chosen_for_call(gateway, current) == "current":
        names.append(chosen_for_call(gateway, current + FORGED_ROUTE))
    own = chosen(clients.plain(gateway.port, "GET", path, [*old, (ROUTE, "current")]), path)
    return "selects nothing" if own == "legacy" and set(names) == {"current"} else "; ".join([*names, own])


def route_down(gateway):
    """A client that names a backend while the gate is down."""
    path = "/route-down"
    gateway.gate.kill()
    time.sleep(1.5)
    try:
        response = clients.plain(gateway.port, "GET", path, ROUTED[0] + FORGED_ROUTE)
        name = chosen(response, path) if response.status == 200 else timed(response)
        return "selects nothing" if name == "current" else name
    finally:
        gateway.gate.start()
        recovered(gateway)


def legacy_down(gateway):
    gateway.stop_legacy()
    try:
        return timed(clients.plain(gateway.port, "GET", "/legacy-down", ROUTED[0]))
    finally:
        gateway.start_legacy()


CASES = (
    Case("get", "old build, `GET`, HTTP/1.1, in Japanese", get),
    Case("get2", "the same over HTTP/2", get2),
    Case("page", "old build, a browser", page),
    Case("head", "old build, `HEAD`", head),
    Case("origin", "old build, with `Origin`", origin),
    Case("doubled", "two lines with different versions", doubled),
    Case("forged-target", "old build that forges the fields of the authorization request", forged_target),
    Case("hint200", "hint, backend responds with 200", hint(200)),
    Case("hint404", "hint, backend responds with 404", hint(404)),
    Case("hint503", "hint, backend responds with 503", hint(503)),
    Case("own403", "current build, backend responds with 403", own_403),
    Case("forged", "forged `X-VersionGate…` from the client", forged),
    Case("more94", "old build, 94 more fields", more_fields(OLD, 94)),
    Case("more88", "current build, 91 fields", more_fields(CURRENT, 88)),
    Case("long", "old build, 7 KB of URI and a field of 7 KB", long_head),
    Case("host", "old build, an invalid `Host`", other_host),
    Case("no-host", "old build, HTTP/1.0 without `Host`", no_host),
    Case("asterisk", "old build, `OPTIONS *`", asterisk),
    Case("parents", "`/decide/` by way of `..`", parents),
    Case("address", "forged `X-Forwarded-For`", address),
    Case("preview", "a preview", preview),
    Case("pass", "a pass", signed_pass),
    Case("upload-old", "old build, upload of 30 MB, 1,000 bytes sent", upload_refused),
    Case("upload-old2", "old build, upload of 3 MB over HTTP/2", upload_refused2, slow=True),
    Case("upload", "current build, upload of 30 MB", upload_passes),
    Case("upload2", "the same over HTTP/2", upload_passes2),
    Case("grpc-old", "old build, gRPC", grpc(OLD)),
    Case("grpc", "current build, gRPC", grpc(CURRENT)),
    Case("grpc-plain", "old build, `GET` for a gRPC method", grpc_plain),
    Case("websocket-old", "old build, WebSocket", websocket_old),
    Case("websocket", "current build, WebSocket", websocket_current),
    Case("preflight", "CORS preflight", preflight),
    Case("maintenance", "maintenance", maintenance),
    Case("gone", "old build, a rule with `status: 410`", gone),
    Case("status", "`/.versiongate/status`", status),
    Case("events", "`/.versiongate/events`", events),
    Case("reload", "reload under load", reload),
    Case("route", "old build with a route, `GET`", route, variant=ROUTES),
    Case("route2", "the same, upload of 3 MB over HTTP/2", route2, slow=True, variant=ROUTES),
    Case("route-grpc", "the same, gRPC", route_grpc, variant=ROUTES),
    Case("route-websocket", "the same, WebSocket", route_websocket, variant=ROUTES),
    Case("route-denied", "denied build with a route", route_denied, variant=ROUTES),
    Case("route-forged", "forged `X-VersionGate-Route`", route_forged, variant=ROUTES),
    Case("route-down", "the same, gate is down", route_down, slow=True, variant=ROUTES),
    Case("legacy-down", "old build with a route, the other backend is down", legacy_down, slow=True, variant=ROUTES),
    Case("slow", "gate does not respond", slow, slow=True),
    Case("down", "gate is down", down, slow=True),
    Case("back", "gate is started again", back, slow=True),
    Case("other-slow", "gate does not respond, other choice", slow, slow=True, variant=OTHER),
    Case("other-down", "gate is down, other choice", down, slow=True, variant=OTHER),
)
