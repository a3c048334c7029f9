#!/usr/bin/env bash
#
# grpclib: a gRPC status in a response with the HTTP status 426 or 503 is ignored.
#
# Expected:  "grpc-status: 9" with its message is the result of the call, whatever the HTTP status is.
#            The HTTP status is translated only if there is no grpc-status, as in grpcio.
# Observed:  each HTTP status other than 200 is translated, although the response has application/grpc
#            and a grpc-status: 426 is UNKNOWN and 403 is PERMISSION_DENIED. The message is "Received
#            :status = '426'". With 200, the same fields are FAILED_PRECONDITION with the message.
# Impact:    a gateway that denies with 426 for its logs and dashboards, and adds grpc-status for gRPC
#            clients, does not reach this client: the app sees an unknown error instead of the text
#            "please update". Send gRPC denials with 200.
# Guess:     the gRPC status has priority, with doubts from memory of the source; seen: the HTTP status has.
#
# Software:  grpclib 0.4.9, h2 4.4.1; for comparison grpcio 1.85.3 (PyPI)
# Observed on: 2026-11-29
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check grpclib==0.4.9 h2==4.4.1 \
    grpcio==1.85.3

"$work/venv/bin/python" - <<'PYTHON'
import asyncio
import sys
from importlib.metadata import version

import grpc
from grpclib.client import Channel, UnaryUnaryMethod
from grpclib.encoding.base import CodecBase
from grpclib.exceptions import GRPCError
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import StreamEnded


class Server(asyncio.Protocol):
    """Denies each call with the fields `response`."""

    response = []

    def connection_made(self, transport):
        self.transport = transport
        self.connection = H2Connection(H2Configuration(client_side=False))
        self.connection.initiate_connection()
        transport.write(self.connection.data_to_send())

    def data_received(self, data):
        for event in self.connection.receive_data(data):
            if isinstance(event, StreamEnded):
                self.connection.send_headers(event.stream_id, Server.response, end_stream=True)
        self.transport.write(self.connection.data_to_send())


class Bytes(CodecBase):
    __content_subtype__ = "proto"

    def encode(self, message, message_type):
        return message

    def decode(self, data, message_type):
        return data


async def call(port):
    """Returns the status and message of a call by grpclib."""
    channel = Channel("127.0.0.1", port, codec=Bytes())
    try:
        await UnaryUnaryMethod(channel, "/orders.Orders/List", bytes, bytes)(b"", timeout=10)
    except GRPCError as error:
        return error.status.name, error.message
    finally:
        channel.close()


async def call_grpcio(port):
    """Returns the status of a call by grpcio."""
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        try:
            await channel.unary_unary("/orders.Orders/List")(b"", timeout=10)
        except grpc.aio.AioRpcError as error:
            return error.code().name


async def main():
    print("grpclib", version("grpclib"), "and grpcio", version("grpcio"))
    server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    # HTTP status, whether the response has a gRPC status: the results in grpclib and in grpcio.
    recorded = {
        ("200", True): ("FAILED_PRECONDITION", "Please update.", "FAILED_PRECONDITION"),
        ("426", False): ("UNKNOWN", "Received :status = '426'", "UNKNOWN"),
        ("426", True): ("UNKNOWN", "Received :status = '426'", "FAILED_PRECONDITION"),
        ("403", True): ("PERMISSION_DENIED", "Received :status = '403'", "FAILED_PRECONDITION"),
        ("503", True): ("UNAVAILABLE", "Received :status = '503'", "FAILED_PRECONDITION"),
    }
    observed = {}
    for status, has_grpc_status in recorded:
        Server.response = [(":status", status), ("content-type", "application/grpc")]
        if has_grpc_status:
            Server.response += [("grpc-status", "9"), ("grpc-message", "Please update.")]
        code, message = await call(port)
        other = await call_grpcio(port)
        observed[status, has_grpc_status] = code, message, other
        fields = "grpc-status: 9" if has_grpc_status else "no grpc-status"
        print(f"HTTP {status}, {fields}: {code}, {message!r}; grpcio: {other}")
    if observed != recorded:
        sys.exit(f"changed: recorded was {recorded}")
    print("as recorded: grpc-status: 9 in a 426 is UNKNOWN")


asyncio.run(main())
PYTHON
