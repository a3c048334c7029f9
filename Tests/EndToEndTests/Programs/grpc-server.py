"""A gRPC server for the tests, on 127.0.0.1. The first line that it prints is its port."""
import threading
import time
from concurrent import futures

import grpc


class Service(grpc.GenericRpcHandler):
    def service(self, call):
        name = call.method.rsplit("/", 1)[1]
        kinds = {
            "Unary": grpc.unary_unary_rpc_method_handler(self.unary),
            "Collect": grpc.stream_unary_rpc_method_handler(self.collect),
            "Count": grpc.unary_stream_rpc_method_handler(self.count),
            "Talk": grpc.stream_stream_rpc_method_handler(self.talk),
            "Fail": grpc.unary_unary_rpc_method_handler(self.fail),
            "Halfway": grpc.unary_stream_rpc_method_handler(self.halfway),
            "Sleep": grpc.unary_unary_rpc_method_handler(self.sleep),
            "Forever": grpc.unary_stream_rpc_method_handler(self.forever),
        }
        return kinds.get(name)
    def unary(self, request, context):
        metadata = dict(context.invocation_metadata())
        context.send_initial_metadata((("x-first", "one"), ("x-first-bin", b"\x00\x01")))
        context.set_trailing_metadata((("x-last", metadata.get("x-asked", "-")),
                                       ("x-seen-platform", metadata.get("x-app-platform", "-"))))
        return request[::-1]
    def collect(self, requests, context):
        return str(sum(len(r) for r in requests)).encode()
    def count(self, request, context):
        for n in range(int(request)):
            yield str(n).encode() * 1000
    def talk(self, requests, context):
        for request in requests:
            yield b"echo " + request
    def fail(self, request, context):
        context.set_trailing_metadata((("grpc-status-details-bin", b"\x08\x05details"),))
        context.abort(grpc.StatusCode.NOT_FOUND, "no such thing \u00fc")
    def halfway(self, request, context):
        yield b"a"
        yield b"b"
        context.abort(grpc.StatusCode.DATA_LOSS, "lost")
    def sleep(self, request, context):
        print("sleep", flush=True)
        context.add_callback(lambda: print("sleep over", flush=True))
        time.sleep(float(request))
        return b"slept"
    def forever(self, request, context):
        gone = threading.Event()
        context.add_callback(gone.set)
        context.add_callback(lambda: print("forever over", flush=True))
        yield b"begun"
        while not gone.wait(0.1):
            if request == b"chatty":
                yield b"more"


server = grpc.server(futures.ThreadPoolExecutor(max_workers=40),
                     options=[("grpc.max_receive_message_length", 1 << 26)])
server.add_generic_rpc_handlers((Service(),))
port = server.add_insecure_port("127.0.0.1:0")
server.start()
print(port, flush=True)
server.wait_for_termination()
