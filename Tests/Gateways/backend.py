#!/usr/bin/env python3
"""The backend behind the gateways: echoes requests as JSON, WebSocket frames and gRPC messages.

The response contains the name of the backend, the method, the path, the header lines as they arrived and the number of
bytes of the body. `/status/NNN…` responds with that status, `/events…` with an event every tenth of a second, and `/-/seen`
with the paths of the requests so far.
"""

import argparse
import base64
import hashlib
import json
import socketserver
import sys
import time
from concurrent import futures

MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
SEEN = []


class Handler(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True
    name = ""

    def handle(self):
        try:
            while self.one():
                pass
        except (ConnectionError, ValueError, IndexError):
            pass

    def one(self):
        """Answers one request; returns whether the connection stays open."""
        line = self.rfile.readline().decode("latin-1").strip()
        if not line:
            return False
        method, path, version = line.split(" ")
        lines = []
        while (line := self.rfile.readline().decode("latin-1").rstrip("\r\n")):
            name, value = line.split(":", 1)
            lines.append([name, value.strip()])
        fields = {name.lower(): value for name, value in lines}
        if path == "/-/seen":
            return self.answer(200, {"seen": list(SEEN)}, method)
        SEEN.append(path)
        if fields.get("upgrade", "").lower() == "websocket":
            return self.websocket(fields)
        if path.startswith("/events"):
            return self.events()
        if fields.get("expect", "").lower() == "100-continue":
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        size = self.read_body(fields)
        status = int(path[8:11]) if path.startswith("/status/") else 200
        members = {"backend": self.name, "method": method, "path": path, "lines": lines, "bytes": size}
        self.answer(status, members, method)
        return version == "HTTP/1.1" and fields.get("connection", "").lower() != "close"

    def read_body(self, fields):
        if "chunked" not in fields.get("transfer-encoding", "").lower():
            return self.skip(int(fields.get("content-length", 0)))
        total = 0
        while size := int(self.rfile.readline().split(b";")[0], 16):
            total += self.skip(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return total

    def skip(self, size):
        left = size
        while left:
            data = self.rfile.read(min(left, 65536))
            if not data:
                raise ConnectionError("the body ends early")
            left -= len(data)
        return size

    def answer(self, status, members, method):
        content = json.dumps(members).encode()
        head = (
            f"HTTP/1.1 {status} Echo\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n"
            "Access-Control-Allow-Origin: *\r\n\r\n"
        )
        self.wfile.write(head.encode() + (b"" if method == "HEAD" else content))
        return True

    def events(self):
        """Sends events until the client is gone."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        while True:
            self.wfile.write(b"data: tick\n\n")
            time.sleep(0.1)

    def websocket(self, fields):
        """Accepts the handshake, and echoes one small frame."""
        digest = hashlib.sha1((fields["sec-websocket-key"] + MAGIC).encode()).digest()
        self.wfile.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + base64.b64encode(digest) + b"\r\n\r\n"
        )
        size = self.rfile.read(2)[1] & 127
        mask, data = self.rfile.read(4), self.rfile.read(size)
        self.wfile.write(bytes([0x81, size]) + bytes(byte ^ mask[index % 4] for index, byte in enumerate(data)))
        self.rfile.read(1)
        return False


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 1024


def serve_grpc(port, name):
    import grpc

    class Echo(grpc.GenericRpcHandler):
        def service(self, details):
            SEEN.append(details.method)
            lines = [[item.key, str(item.value)] for item in details.invocation_metadata]
            members = {"backend": name, "path": details.method, "lines": lines}
            return grpc.unary_unary_rpc_method_handler(lambda message, _: json.dumps(members).encode() + message)

    server = grpc.server(futures.ThreadPoolExecutor(8))
    server.add_generic_rpc_handlers((Echo(),))
    server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    return server


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--grpc-port", type=int, required=True)
    given = parser.parse_args()
    Handler.name = given.name
    server = serve_grpc(given.grpc_port, given.name)
    Server(("127.0.0.1", given.port), Handler).serve_forever()
    server.stop(None)


if __name__ == "__main__":
    sys.exit(main())
