"""The authorization requests of gateways: the heads of HTTP requests, and the message of Envoy's gRPC."""

import random
import struct

from sidebyside.appcall import PATH
from sidebyside.traffic import HEADS, Traffic, app_fields, builds, head

SYSTEM = "17.2"
LANGUAGES = "ja-JP,ja;q=0.9,en;q=0.8"
CLIENT = "203.0.113.7"
CALL_PATH = "/envoy.service.auth.v3.Authorization/Check"


def client_fields(version, chance):
    """Returns the 12 fields of a client's request."""
    return app_fields(version, SYSTEM, LANGUAGES, f"{chance.getrandbits(128):032x}", f"{chance.getrandbits(192):048x}")


def forwarded_fields(path):
    """Returns the fields with which Traefik and Caddy describe a client's request."""
    return {
        "X-Forwarded-For": CLIENT,
        "X-Forwarded-Host": "api.example.com",
        "X-Forwarded-Method": "GET",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Uri": path,
    }


def authorization_requests(denied):
    """Returns heads with unique paths, tokens and trace ids, of 30 builds."""
    chance = random.Random(1)
    versions = builds(30, denied)
    return [
        head("GET", "/decide", client_fields(chance.choice(versions), chance) | forwarded_fields(f"/v2/items/{path}"))
        for path in chance.sample(range(10**5, 10**6), HEADS)
    ]


AUTHORIZATIONS = Traffic(
    "authorization", f"{HEADS:,} heads of 17 fields, 30 builds", authorization_requests, answer_bytes=0,
)


def check_request(version):
    """Returns the CheckRequest that Envoy 1.40 sends for a client's request: 15 header fields, 4 of them its own."""
    fields = client_fields(version, random.Random(2))
    host = fields.pop("Host")
    headers = {":authority": host, ":method": "GET", ":path": PATH, ":scheme": "https"}
    headers |= {name.lower(): value for name, value in fields.items()}
    headers |= {
        "x-envoy-external-address": CLIENT, "x-forwarded-for": CLIENT, "x-forwarded-proto": "https",
        "x-request-id": "4a1dd8b2-7b0c-4c57-9d0e-5f5f0c4c6a34",
    }
    http = text(1, "9317532640271582947") + text(2, "GET")
    http += b"".join(part(3, text(1, name) + text(2, value)) for name, value in sorted(headers.items()))
    http += text(4, PATH) + text(5, host) + text(6, "https") + text(10, "HTTP/2")
    time = number(1, 1_793_000_000) + number(2, 123_456_000)
    attributes = part(1, peer(CLIENT, 52_114)) + part(2, peer("192.0.2.10", 443))
    attributes += part(4, part(1, time) + part(2, http))
    # Metadata of filters and of the route, of which there is none.
    attributes += part(11, b"") + part(13, b"")
    return part(1, attributes)


def peer(address, port):
    """Returns an AttributeContext.Peer with the address of a socket."""
    return part(1, part(1, text(2, address) + number(3, port)))


def grpc_body(message):
    """Returns the body of a gRPC request: the message, after its length."""
    return struct.pack(">BI", 0, len(message)) + message


def varint(value):
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(encoded) + bytes([value])


def number(field, value):
    """Returns a field with a number."""
    return varint(field << 3) + varint(value)


def part(field, content):
    """Returns a field with a length: a message, bytes or a string."""
    return varint(field << 3 | 2) + varint(len(content)) + content


def text(field, content):
    return part(field, content.encode())


def fields_of(message):
    """Returns the numbers and strings in a message by their fields; the last one counts."""
    fields, position = {}, 0
    while position < len(message):
        key, position = read_varint(message, position)
        value, position = read_varint(message, position)
        if key & 7 == 2:
            value, position = message[position:position + value], position + value
        elif key & 7:
            raise ValueError(f"neither a number nor a string: field {key >> 3}")
        if position > len(message):
            raise ValueError("cut short")
        fields[key >> 3] = value
    return fields


def read_varint(message, position):
    value = shift = 0
    while True:
        if position >= len(message):
            raise ValueError("cut short")
        byte = message[position]
        value |= (byte & 0x7F) << shift
        position, shift = position + 1, shift + 7
        if byte < 0x80:
            return value, position
