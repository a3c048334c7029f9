"""Sends calls of every kind to a port, and prints a line for each. A line starts with "ok" if the result is as expected."""
import queue
import sys
import time
from concurrent import futures

import grpc

channel = grpc.insecure_channel("127.0.0.1:" + sys.argv[1],
                                options=[("grpc.max_receive_message_length", 1 << 26)])
raw = dict(request_serializer=lambda b: b, response_deserializer=lambda b: b)
md = (("x-app-id", "com.example.shop"), ("x-app-platform", "ios"), ("x-app-version", "9.0"),
      ("x-asked", "yes"))


S = "/test.Service/"


def check(name, ok, *more):
    print("ok" if ok else "FAILED", name, *more, flush=True)
def error(call):
    try:
        call()
    except grpc.RpcError as e:
        return e
r, call = channel.unary_unary(S + "Unary", **raw).with_call(b"hello", metadata=md)
check("unary", r == b"olleh")
check("initial metadata", dict(call.initial_metadata()).get("x-first-bin") == b"\x00\x01" and dict(call.initial_metadata()).get("x-first") == "one")
t = dict(call.trailing_metadata())
check("trailers", t.get("x-last") == "yes" and t.get("x-seen-platform") == "ios", t)
big = b"x" * 10_000_000
r = channel.unary_unary(S + "Unary", **raw)(big, metadata=md)
check("large unary", r == big)
r = channel.stream_unary(S + "Collect", **raw)(iter([b"y" * 70_000] * 100), metadata=md)
check("client streaming", r == b"7000000", r)
r = list(channel.unary_stream(S + "Count", **raw)(b"2000", metadata=md))
check("server streaming", len(r) == 2000 and r[7] == b"7" * 1000)
q = queue.Queue()
talk = channel.stream_stream(S + "Talk", **raw)(iter(q.get, None), metadata=md)
answers = []
for n in range(50):
    q.put(b"%d" % n)
    answers.append(next(talk))
q.put(None)
check("bidirectional, one by one", answers == [b"echo %d" % n for n in range(50)] and list(talk) == [])
e = error(lambda: channel.unary_unary(S + "Fail", **raw)(b"", metadata=md))
check("status", e.code() == grpc.StatusCode.NOT_FOUND and e.details() == "no such thing \u00fc", e.code(), e.details())
check("details", dict(e.trailing_metadata()).get("grpc-status-details-bin") == b"\x08\x05details")
got = []
e = error(lambda: [got.append(m) for m in channel.unary_stream(S + "Halfway", **raw)(b"", metadata=md)])
check("failure half-way", got == [b"a", b"b"] and e.code() == grpc.StatusCode.DATA_LOSS and e.details() == "lost")
e = error(lambda: channel.unary_unary(S + "Nowhere", **raw)(b"", metadata=md))
check("unimplemented", e.code() == grpc.StatusCode.UNIMPLEMENTED, e.code(), e.details())
began = time.time()
e = error(lambda: channel.unary_unary(S + "Sleep", **raw)(b"3", metadata=md, timeout=0.5))
check("deadline", e.code() == grpc.StatusCode.DEADLINE_EXCEEDED and time.time() - began < 2, e.code())
call = channel.unary_stream(S + "Forever", **raw)(b"quiet", metadata=md)
check("first of many", next(call) == b"begun")
call.cancel()
e = error(lambda: list(call))
check("cancelled", e.code() == grpc.StatusCode.CANCELLED, e.code())
def many(n):
    r = channel.unary_unary(S + "Unary", **raw)(b"%d" % n, metadata=md)
    return r == (b"%d" % n)[::-1]
with futures.ThreadPoolExecutor(20) as pool:
    check("many at once", all(pool.map(many, range(500))))
old = md[:2] + (("x-app-version", "3.4.9"),)
e = error(lambda: channel.unary_unary(S + "Unary", **raw)(b"x", metadata=old))
check("denied", e.code() == grpc.StatusCode.FAILED_PRECONDITION, e.details())
