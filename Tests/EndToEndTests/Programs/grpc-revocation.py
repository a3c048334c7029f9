"""Opens long-lived calls as an old app and as a new one. Only the new app's calls outlive the change to the rules."""
import queue
import sys

import grpc

channel = grpc.insecure_channel("127.0.0.1:" + sys.argv[1])
raw = dict(request_serializer=lambda b: b, response_deserializer=lambda b: b)
S = "/test.Service/"


def identity(version):
    return (("x-app-id", "com.example.shop"), ("x-app-platform", "ios"), ("x-app-version", version))


def requests(first):
    q = queue.Queue()
    q.put(first)
    return iter(q.get, None)


old = identity("3.6.0")
chatty = channel.unary_stream(S + "Forever", **raw)(b"chatty", metadata=old)
quiet = channel.unary_stream(S + "Forever", **raw)(b"quiet", metadata=old)
talk = channel.stream_stream(S + "Talk", **raw)(requests(b"hello"), metadata=old)
collect = channel.stream_unary(S + "Collect", **raw).future(requests(b"hello"), metadata=old)
slow = channel.unary_unary(S + "Sleep", **raw).future(b"4", metadata=old)
new = channel.unary_stream(S + "Forever", **raw)(b"chatty", metadata=identity("9.0.0"))
for call in (chatty, quiet, talk, new):
    next(call)
print("ready", flush=True)
for name, call in (("chatty", chatty), ("quiet", quiet), ("talk", talk), ("collect", collect)):
    try:
        if name == "collect":
            call.result(timeout=20)
        else:
            for _ in call:
                pass
        print(name, "ended", flush=True)
    except grpc.RpcError as error:
        details = dict(error.trailing_metadata()).get("grpc-status-details-bin", b"")
        print(name, error.code().name, b"google.rpc.ErrorInfo" in details, flush=True)
print("slow", slow.result(timeout=20).decode(), flush=True)
for _ in range(5):
    next(new)
print("new goes on", flush=True)
