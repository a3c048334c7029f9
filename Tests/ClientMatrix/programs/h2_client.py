"""A client that uses Python's h2, sends its upload as the window permits, and reads at the same time."""

import select
import socket
import ssl
import time
from urllib.parse import urlsplit

import adapter
import h2
import h2.config
import h2.connection
import h2.events


class StreamReset(Exception):
    """The stream was reset before the response was complete."""


class Client:
    def __init__(self, case):
        if case["http"] != "2":
            raise adapter.Unsupported("HTTP/2 only")
        address = urlsplit(case["url"])
        context = ssl.create_default_context(cafile=case["ca"])
        context.set_alpn_protocols(["h2"])
        plain = socket.create_connection((address.hostname, address.port), case["timeout"])
        self.socket = context.wrap_socket(plain, server_hostname=address.hostname)
        self.socket.settimeout(case["timeout"])
        self.connection = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self.connection.initiate_connection()
        self.flush()

    def flush(self):
        data = self.connection.data_to_send()
        if data:
            self.socket.sendall(data)

    def ask(self, case):
        upload, address = case["upload"], urlsplit(case["url"])
        if case["kind"] != "request" or (upload and upload["expect"]):
            raise adapter.Unsupported("requests only, and no Expect")
        stream = self.connection.get_next_available_stream_id()
        fields = [(":method", case["method"]), (":scheme", "https"), (":authority", address.netloc), (":path", address.path)]
        fields += [(name.lower(), value) for name, value in case["fields"].items()]
        if upload and not upload["chunked"]:
            fields.append(("content-length", str(upload["bytes"])))
        self.connection.send_headers(stream, fields, end_stream=not upload)
        self.flush()
        rest = memoryview(adapter.content(upload)) if upload else None
        deadline = time.monotonic() + case["timeout"]
        self.status, self.fields, self.body = 0, [], b""
        while True:
            room = self.room(stream) if rest is not None else 0
            if room:
                piece, rest = rest[:room], rest[room:]
                self.connection.send_data(stream, bytes(piece), end_stream=not rest)
                self.flush()
                rest = rest if len(rest) else None
            # Received data is processed first, as in a client with a separate thread for it.
            if room and not self.socket.pending() and not select.select([self.socket], [], [], 0)[0]:
                continue
            if time.monotonic() > deadline:
                raise TimeoutError("no whole answer in time")
            data = self.socket.recv(65536)
            if not data:
                raise ConnectionError("the connection was closed before the answer was whole")
            ended = self.receive(stream, data)
            self.flush()
            if ended:
                return adapter.answer(self.status, self.fields, self.body)

    def room(self, stream):
        return min(self.connection.local_flow_control_window(stream), self.connection.max_outbound_frame_size)

    def receive(self, stream, data):
        """Returns whether the response is complete."""
        for event in self.connection.receive_data(data):
            if getattr(event, "stream_id", stream) != stream:
                continue
            if isinstance(event, h2.events.ResponseReceived):
                self.status, self.fields = int(dict(event.headers)[":status"]), event.headers
            elif isinstance(event, h2.events.DataReceived):
                self.body += event.data
                self.connection.acknowledge_received_data(event.flow_controlled_length, stream)
            elif isinstance(event, h2.events.StreamEnded):
                return True
            elif isinstance(event, h2.events.StreamReset):
                raise StreamReset(f"by {event.error_code!r}")
            elif isinstance(event, h2.events.ConnectionTerminated):
                raise ConnectionError(f"GOAWAY {event.error_code!r}")
        return False

    def close(self):
        self.socket.close()


if __name__ == "__main__":
    adapter.serve(f"h2 {h2.__version__}", Client)
