#!/usr/bin/env bash
#
# grpc.aio: if a server denies a stream while the client writes to it, write() hides the status of the denial.
#
# Expected:  if the server ends a stream with FAILED_PRECONDITION, the next write() raises AioRpcError with this
#            status, as the same call does with an async generator of messages, or without asyncio.
# Observed:  a write() after a pause raises asyncio.InvalidStateError ("RPC already finished."), which is not an
#            RpcError; only the call object has the status. If the client writes without pauses, AioRpcError with
#            INTERNAL "Internal error from Core" replaces the status, its message and its metadata for good, also in
#            the call object, in most or all tries (issue 36066 of gRPC).
# Impact:    "except AioRpcError" with a check for the denial, which works for all other calls, misses an app that
#            is too old for an upload or a chat: it crashes with InvalidStateError, or reports an internal error and
#            tries again. Pass an async generator, or read the status of the call after an InvalidStateError.
# Guess:     AioRpcError with FAILED_PRECONDITION in both cases.
#
# Software:  grpcio 1.85.3 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check grpcio==1.85.3

"$work/venv/bin/python" - <<'PYTHON'
import asyncio
import sys
from concurrent import futures
from importlib.metadata import version

import grpc

print("grpcio", version("grpcio"))
OPTIONS = [("grpc.enable_http_proxy", 0)]


def deny(messages, context):
    next(messages)
    context.set_trailing_metadata((("x-versiongate", "require"),))
    context.abort(grpc.StatusCode.FAILED_PRECONDITION, "Please update.")


class Service(grpc.GenericRpcHandler):
    """Denies each stream after its first message."""

    def service(self, call):
        return grpc.stream_unary_rpc_method_handler(deny)


async def write(call, number, pause):
    """Writes messages, and returns the exception and the status of the call."""
    try:
        for _ in range(number):
            await call.write(bytes(1000))
            await asyncio.sleep(pause)
        await call.done_writing()
        await call
        error = "none"
    except grpc.aio.AioRpcError as raised:
        error = f"AioRpcError {raised.code().name}"
    except Exception as raised:
        error = type(raised).__name__
    return error, (await call.code()).name


async def generate(channel, number, pause):
    """Passes a generator of messages, and returns the exception and the status of the call."""
    async def messages():
        for _ in range(number):
            yield bytes(1000)
            await asyncio.sleep(pause)

    call = channel.stream_unary("/Shop/Upload")(messages(), timeout=10)
    try:
        await call
        error = "none"
    except grpc.aio.AioRpcError as raised:
        error = f"AioRpcError {raised.code().name}"
    return error, (await call.code()).name


def ask_without_asyncio(port):
    with grpc.insecure_channel(f"127.0.0.1:{port}", options=OPTIONS) as channel:
        try:
            channel.stream_unary("/Shop/Upload")((bytes(1000) for _ in range(1000)), timeout=10)
        except grpc.RpcError as error:
            return error.code().name


async def main(port):
    denied = "AioRpcError FAILED_PRECONDITION", "FAILED_PRECONDITION"
    # Way and pause between the messages: exception, and status of the call.
    recorded = {
        ("generator", 0.3): denied,
        ("write()", 0.3): ("InvalidStateError", "FAILED_PRECONDITION"),
        ("write()", 0): ("AioRpcError INTERNAL", "INTERNAL"),
    }
    observed = {}
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=OPTIONS) as channel:
        await channel.channel_ready()
        for way, pause in recorded:
            number, tries = (3, 3) if pause else (1000, 20)
            hidden = 0
            for _ in range(tries):
                if way == "generator":
                    result = await generate(channel, number, pause)
                else:
                    result = await write(channel.stream_unary("/Shop/Upload")(timeout=10), number, pause)
                if result != denied:
                    observed[way, pause] = result
                    hidden += 1
            observed.setdefault((way, pause), denied)
            error, status = observed[way, pause]
            print(f"{way}, {pause} s between messages: {error}; status of the call {status} "
                  f"({hidden} of {tries} tries differ from the denial)")
    if observed != recorded:
        sys.exit(f"changed: recorded was {recorded}")


server = grpc.server(futures.ThreadPoolExecutor(4))
server.add_generic_rpc_handlers((Service(),))
port = server.add_insecure_port("127.0.0.1:0")
server.start()
status = ask_without_asyncio(port)
print(f"without asyncio, 1000 messages: {status}")
if status != "FAILED_PRECONDITION":
    sys.exit("changed: recorded was FAILED_PRECONDITION")
asyncio.run(main(port))
server.stop(None)
print("as recorded: write() hides the denial")
PYTHON
