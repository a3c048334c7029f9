"""Asks a gate for decisions as Envoy does, with the reference messages, and compares each with the gate's own response.

Usage: envoy-check.py DECIDE_PORT PROXY_PORT COUNT

For each of COUNT random requests, the response must be what the reference implementation of Protocol Buffers writes, and
the decision must be the one that the proxy listener makes about the same request. Prints a summary, or the first
difference.
"""
import http.client
import random
import sys

import grpc
from envoy.config.core.v3 import base_pb2
from envoy.service.auth.v3 import attribute_context_pb2, external_auth_pb2

CHOSEN = random.Random(52)
FORMS = [{}, {"accept": "text/html,application/xhtml+xml"}, {"content-type": "application/grpc"},
         {"connect-protocol-version": "1"}, {"accept": "application/graphql-response+json"},
         {"origin": "https://web.example"}]
VERSIONS = ["3.4.9", "3.5.0", "4.0", "abc", "", "4.0,2.0", "3.5.0-beta.1", "3.4.9 (93)"]
HIDDEN = {"date", "content-length", "connection", "upgrade"}


def fields():
    """Returns the header fields of a random client."""
    lines = [("x-app-id", "com.example.shop"), ("x-app-platform", CHOSEN.choice(["ios", "android", "IOS"]))]
    for _ in range(CHOSEN.choice([0, 1, 1, 1, 2])):
        lines.append(("x-app-version", CHOSEN.choice(VERSIONS)))
    lines += CHOSEN.choice(FORMS).items()
    if CHOSEN.random() < 0.3:
        lines.append(("accept-language", CHOSEN.choice(["ja", "ko, en;q=0.5", "de"])))
    lines += [(f"x-other-{n}", "v" * CHOSEN.randrange(200)) for n in range(CHOSEN.randrange(10))]
    CHOSEN.shuffle(lines)
    return lines


def check_request(method, path, lines, raw):
    """Returns the message that Envoy sends about a request."""
    http_request = attribute_context_pb2.AttributeContext.HttpRequest(
        id="1", method=method, path=path, host="api.example", scheme="https", size=-1, protocol="HTTP/2")
    if raw:
        http_request.header_map.headers.extend(
            base_pb2.HeaderValue(key=name, raw_value=value.encode()) for name, value in lines)
    else:
        for name, value in lines:
            joined = http_request.headers[name]
            http_request.headers[name] = f"{joined},{value}" if joined else value
    request = external_auth_pb2.CheckRequest()
    request.attributes.source.address.socket_address.address = "203.0.113.9"
    request.attributes.source.address.socket_address.port_value = 4711
    request.attributes.request.time.GetCurrentTime()
    request.attributes.request.http.CopyFrom(http_request)
    request.attributes.context_extensions["unknown"] = "value"
    return request


def ask_proxy(port, method, path, lines):
    """Returns the status, the fields and the content of the proxy's response; `None` if the backend has responded."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest(method, path, skip_accept_encoding=True)
    for name, value in lines:
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    content = response.read()
    connection.close()
    if response.getheader("x-versiongate") not in ("require", "maintenance"):
        return None
    kept = sorted((name.lower(), value) for name, value in response.getheaders() if name.lower() not in HIDDEN)
    return response.status, kept, content.decode()


def difference(ask, proxy_port):
    """Compares one decision; returns what differs, or `None`, and whether the request is denied."""
    method, path, lines, raw = CHOSEN.choice(["GET", "POST", "PUT"]), CHOSEN.choice(["/", "/a?b=c"]), fields(), CHOSEN.random() < 0.7
    request = check_request(method, path, lines, raw)
    data = ask(request.SerializeToString())
    response = external_auth_pb2.CheckResponse.FromString(data)
    if response.SerializeToString(deterministic=True) != data:
        return f"the reference writes other bytes for {response}", False
    expected = ask_proxy(proxy_port, method, path, lines)
    kind = response.WhichOneof("http_response")
    if expected is None:
        return (None if kind == "ok_response" and response.status.code == 0 else f"denied: {lines}"), False
    if kind != "denied_response" or response.status.code != 7:
        return f"allowed: {lines}", True
    denied = response.denied_response
    actions = {option.append_action for option in denied.headers}
    kept = sorted((option.header.key.lower(), option.header.value) for option in denied.headers
                  if option.header.key.lower() not in HIDDEN)
    actual = (denied.status.code, kept, denied.body)
    if actual != expected or actions != {base_pb2.HeaderValueOption.OVERWRITE_IF_EXISTS_OR_ADD}:
        return f"{actual}\nbut the proxy: {expected}", True
    return None, True


def main():
    """Compares the decisions, checks errors and the health service, and prints the numbers."""
    decide_port, proxy_port, count = map(int, sys.argv[1:])
    channel = grpc.insecure_channel(f"127.0.0.1:{decide_port}")
    raw = dict(request_serializer=lambda b: b, response_deserializer=lambda b: b)
    ask = channel.unary_unary("/envoy.service.auth.v3.Authorization/Check", **raw)
    denials = 0
    for number in range(count):
        found, is_denied = difference(lambda data: ask(data, timeout=5), proxy_port)
        if found:
            sys.exit(f"request {number}: {found}")
        denials += is_denied
    health = channel.unary_unary("/grpc.health.v1.Health/Check", **raw)(b"", timeout=5)
    codes = []
    for method, content in [("/envoy.service.auth.v3.Authorization/Check", b"\xff"),
                            ("/envoy.service.auth.v3.Authorization/Check", b"x" * (33 << 20)),
                            ("/envoy.service.auth.v3.Authorization/Nothing", b"")]:
        try:
            channel.unary_unary(method, **raw)(content, timeout=5)
        except grpc.RpcError as error:
            codes.append(error.code().name)
    print(f"{count} equal, {denials} denied, health {health.hex()}, errors {' '.join(codes)}")


main()
