"""Sends calls of every kind with connectrpc that the gate denies, and prints a line for each. A line starts with "ok" if the result
is as expected.

Argument: the gate's port.
"""
import sys

from connectrpc.client import ConnectClientSync, ResponseMetadata
from connectrpc.code import Code
from connectrpc.codec import proto_binary_codec, proto_json_codec
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from protobuf.wkt import StringValue
from pyqwest import HTTPVersion, SyncClient, SyncHTTPTransport

OLD = {"x-app-id": "com.example.shop", "x-app-platform": "ios", "x-app-version": "3.4.9"}
NEW = {**OLD, "x-app-version": "4.0.0"}
UPGRADE = (Code.FAILED_PRECONDITION, "Version 3.4.9 is too old. Please update to 3.5.0.", "UPGRADE_REQUIRED", "require", {
    "title": "Update required", "button": "Update", "storeUrl": "https://apps.apple.com/app/id1234567890",
    "minimumVersion": "3.5.0", "currentVersion": "3.4.9", "rule": "ios",
})
MAINTENANCE = (Code.UNAVAILABLE, "We are moving house.", "MAINTENANCE", "maintenance", {
    "title": "Back soon", "currentVersion": "4.0.0", "rule": "migration", "maintenanceUntil": "2098-12-24T03:00:00Z",
})
UNIDENTIFIED = (Code.FAILED_PRECONDITION, "Please install the latest version.", "UPGRADE_REQUIRED", "require", {
    "title": "Update required", "storeUrl": "https://example.com/get",
})
REFUSALS = [("Orders", OLD, UPGRADE), ("Archive", NEW, MAINTENANCE), ("Account", {}, UNIDENTIFIED)]


def varint(data, index):
    value = shift = 0
    while True:
        byte, index = data[index], index + 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, index
        shift += 7


def fields(data):
    """Returns the length-delimited fields of a message, by number."""
    found, index = {}, 0
    while index < len(data):
        key, index = varint(data, index)
        size, index = varint(data, index)
        found.setdefault(key >> 3, []).append(data[index:index + size])
        index += size
    return found


def metadata(info):
    """Returns the reason, and the metadata by name."""
    info = fields(info)
    assert info[2] == [b"versiongate"], info
    entries = [fields(entry) for entry in info[3]]
    return info[1][0].decode(), {entry[1][0].decode(): entry[2][0].decode() for entry in entries}


def method(service, name, kind):
    return MethodInfo(name=name, service_name="shop." + service, input=StringValue, output=StringValue,
                      stream_type=kind, idempotency_level=IdempotencyLevel.NO_SIDE_EFFECTS)


def calls(client, service, headers):
    one = StringValue(value="x" * 100)

    def many():
        for _ in range(20):
            yield StringValue(value="x" * 10_000)

    unary = dict(request=one, headers=headers, method=method(service, "Get", StreamType.UNARY))
    yield "unary", lambda: client.execute_unary(**unary)
    yield "get", lambda: client.execute_unary(**unary, use_get=True)
    yield "server stream", lambda: list(client.execute_server_stream(
        request=one, headers=headers, method=method(service, "Watch", StreamType.SERVER_STREAM)))
    yield "client stream", lambda: client.execute_client_stream(
        request=many(), headers=headers, method=method(service, "Send", StreamType.CLIENT_STREAM))
    yield "both streams", lambda: list(client.execute_bidi_stream(
        request=many(), headers=headers, method=method(service, "Talk", StreamType.BIDI_STREAM)))


def refusal(call):
    with ResponseMetadata() as answer:
        try:
            return "passed", call()
        except ConnectError as error:
            details = {detail.type_name: detail.message_bytes for detail in error.details}
            reason, facts = metadata(details["google.rpc.ErrorInfo"])
            return (error.code, error.message, reason, answer.headers.get("x-versiongate"), facts), details


def main():
    address = "http://127.0.0.1:" + sys.argv[1]
    for version in (HTTPVersion.HTTP1, HTTPVersion.HTTP2):
        http = SyncClient(SyncHTTPTransport(http_version=version))
        for name, codec in (("proto", proto_binary_codec()), ("json", proto_json_codec())):
            client = ConnectClientSync(address, codec=codec, http_client=http)
            for service, headers, expected in REFUSALS:
                for kind, call in calls(client, service, headers):
                    got, details = refusal(call)
                    ok = got[:4] == expected[:4] and expected[4].items() <= got[4].items() \
                        and {"google.rpc.ErrorInfo", "google.rpc.LocalizedMessage"} <= details.keys()
                    print("ok" if ok else "FAILED", version, name, service, kind, "" if ok else (got, details), flush=True)
            got = client.execute_unary(request=StringValue(value="x"), headers=NEW,
                                       method=method("Orders", "Get", StreamType.UNARY)) if name == "json" else None
            print("ok" if name == "proto" or got.value == "hello" else "FAILED", version, name, "passes", got, flush=True)


main()
