"""Asks a gate for decisions about requests with a pass, as Envoy does.

Usage: envoy-pass.py DECIDE_PORT PASS
"""
import sys

import grpc
from envoy.config.core.v3 import base_pb2
from envoy.service.auth.v3 import attribute_context_pb2, external_auth_pb2

IDENTITY = [("x-app-id", "com.example.shop"), ("x-app-platform", "ios"), ("x-app-version", "3.4.9")]


def check_request(lines, raw):
    """Returns the message that Envoy sends about a request with these fields."""
    request = external_auth_pb2.CheckRequest()
    http = request.attributes.request.http
    http.CopyFrom(attribute_context_pb2.AttributeContext.HttpRequest(
        id="1", method="GET", path="/v2", host="api.example", scheme="https", size=-1, protocol="HTTP/2"))
    if raw:
        http.header_map.headers.extend(
            base_pb2.HeaderValue(key=name, raw_value=value.encode()) for name, value in lines)
    else:
        for name, value in lines:
            joined = http.headers[name]
            http.headers[name] = f"{joined},{value}" if joined else value
    return request


def words(response):
    """Describes a response."""
    metadata = response.dynamic_metadata["decision"]
    if response.WhichOneof("http_response") == "denied_response":
        return f"denied {response.denied_response.status.code} {metadata}"
    allowed = response.ok_response
    fields = {option.header.key.lower(): option.header.value for option in allowed.headers}
    assert fields["x-versiongate-decision"] == metadata, fields
    removes = "x-versiongate-pass" in allowed.headers_to_remove
    return f"allowed {metadata}, {'removes' if removes else 'keeps'} the field"


def main():
    """Prints the decision for each way to send the pass."""
    port, value = sys.argv[1:]
    channel = grpc.insecure_channel(f"127.0.0.1:{port}")
    ask = channel.unary_unary(
        "/envoy.service.auth.v3.Authorization/Check",
        request_serializer=external_auth_pb2.CheckRequest.SerializeToString,
        response_deserializer=external_auth_pb2.CheckResponse.FromString,
    )
    line = ("x-versiongate-pass", value)
    for name, lines, raw in [("none", [], True), ("pass", [line], False), ("raw", [line], True),
                             ("raw twice", [line, line], True), ("joined", [line, line], False)]:
        print(f"{name}: {words(ask(check_request(IDENTITY + lines, raw), timeout=5))}")


main()
