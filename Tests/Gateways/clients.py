"""The clients: raw sockets for HTTP/1.1, curl and h2 for HTTP/2, grpcio for gRPC."""

import base64
import http.client
import os
import socket
import ssl
import subprocess
import time
from dataclasses import dataclass, field

PATIENCE = 40
CHUNK = bytes(65536)


@dataclass
class Response:
    """A response with its header lines in order. `status` is 0 if there is none, and `error` says why."""

    status: int = 0
    lines: list = field(default_factory=list)
    body: bytes = b""
    seconds: float = 0
    error: str = ""

    def all(self, name):
        return [value for key, value in self.lines if key.lower() == name]

    def get(self, name):
        values = self.all(name)
        return values[0] if values else ""


def head(method, path, lines):
    text = "".join(f"{name}: {value}\r\n" for name, value in lines)
    return f"{method} {path} HTTP/1.1\r\n{text}\r\n".encode()


def connect(port, timeout=PATIENCE):
    connection = socket.create_connection(("127.0.0.1", port), timeout)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def receive(connection, method, began):
    """Reads a response, whatever its body ends with."""
    parsed = http.client.HTTPResponse(connection, method=method)
    parsed.begin()
    seconds = time.monotonic() - began
    return Response(parsed.status, parsed.getheaders(), parsed.read(), seconds)


def plain(port, method, path, lines, timeout=PATIENCE, host="api.example.com"):
    """Sends a request without a body over HTTP/1.1, on a connection of its own."""
    began = time.monotonic()
    try:
        with connect(port, timeout) as connection:
            connection.sendall(head(method, path, [("Host", host), *lines, ("Connection", "close")]))
            return receive(connection, method, began)
    except (OSError, http.client.HTTPException) as error:
        return Response(error=type(error).__name__, seconds=time.monotonic() - began)


def upload(port, path, lines, size, sent=None, pause=3):
    """Uploads `size` bytes. With `sent`, pauses after that many bytes for a response, and only then sends the rest.

    Returns the response, and whether it arrived before the rest was sent.
    """
    began = time.monotonic()
    whole = [("Host", "api.example.com"), *lines, ("Content-Length", str(size))]
    early = False
    try:
        with connect(port) as connection:
            connection.sendall(head("POST", path, whole))
            left = size
            if sent:
                connection.sendall(bytes(sent))
                left -= sent
                connection.settimeout(pause)
                try:
                    early = bool(connection.recv(1, socket.MSG_PEEK))
                except TimeoutError:
                    pass
                connection.settimeout(PATIENCE)
            try:
                while left and not early:
                    left -= connection.send(CHUNK[:left])
            except OSError:
                pass
            return receive(connection, "POST", began), early
    except (OSError, http.client.HTTPException) as error:
        return Response(error=type(error).__name__, seconds=time.monotonic() - began), early


def first_event(port, path, lines):
    """Returns the head of an event stream, and its body up to the first data."""
    began = time.monotonic()
    try:
        with connect(port, 5) as connection:
            connection.sendall(head("GET", path, [("Host", "api.example.com"), *lines]))
            parsed = http.client.HTTPResponse(connection)
            parsed.begin()
            event = b""
            while b"\ndata:" not in event and (line := parsed.readline()):
                event += line
            return Response(parsed.status, parsed.getheaders(), event, time.monotonic() - began)
    except (OSError, http.client.HTTPException) as error:
        return Response(error=type(error).__name__, seconds=time.monotonic() - began)


class EventStream:
    """An open event stream."""

    def __init__(self, port, path, lines):
        self.connection = connect(port, 10)
        self.connection.sendall(head("GET", path, [("Host", "api.example.com"), ("Accept", "text/event-stream"), *lines]))
        self.parsed = http.client.HTTPResponse(self.connection)
        self.parsed.begin()
        self.next()

    def next(self):
        """Waits for an event; returns whether there was one."""
        try:
            return self.parsed.readline() + self.parsed.readline() == b"data: tick\n\n"
        except (OSError, http.client.HTTPException):
            return False

    def ends(self, seconds=5):
        """Returns whether the stream ends within a time."""
        deadline = time.monotonic() + seconds
        while self.next():
            if time.monotonic() > deadline:
                return False
        return True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.parsed.close()
        self.connection.close()


def websocket(port, path, lines, meanwhile=lambda: None, is_idle=False):
    """Opens a WebSocket and, after `meanwhile`, sends a frame unless it is idle; the body is the echo."""
    began = time.monotonic()
    key = base64.b64encode(os.urandom(16)).decode()
    handshake = [
        ("Host", "api.example.com"), ("Connection", "Upgrade"), ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Key", key), *lines,
    ]
    try:
        with connect(port, 10) as connection:
            connection.sendall(head("GET", path, handshake))
            parsed = http.client.HTTPResponse(connection)
            parsed.begin()
            if parsed.status != 101:
                return Response(parsed.status, parsed.getheaders(), parsed.read(), time.monotonic() - began)
            meanwhile()
            if not is_idle:
                connection.sendall(bytes([0x81, 0x84, 0, 0, 0, 0]) + b"ping")
            frame = parsed.fp.read(6)
            return Response(101, parsed.getheaders(), frame[2:], time.monotonic() - began)
    except (OSError, http.client.HTTPException) as error:
        return Response(error=type(error).__name__, seconds=time.monotonic() - began)


def curl(folder, authority, port, path, lines, *more):
    """Sends a request with curl over HTTP/2 and TLS."""
    command = [
        "curl", "--silent", "--show-error", "--http2", "--cacert", authority, "--max-time", str(PATIENCE),
        "--dump-header", folder / "head", "--output", folder / "body", *more,
    ]
    for name, value in lines:
        command += ["--header", f"{name}: {value}"]
    for name in ("head", "body"):
        (folder / name).write_bytes(b"")
    began = time.monotonic()
    done = subprocess.run([*command, f"https://127.0.0.1:{port}{path}"], capture_output=True, text=True)
    seconds = time.monotonic() - began
    # The last head, after any 100 Continue.
    heads = [part for part in (folder / "head").read_bytes().decode("latin-1").split("\r\n\r\n") if part.strip()]
    if not heads:
        return Response(error=f"curl {done.returncode}", seconds=seconds)
    first, *rest = heads[-1].split("\r\n")
    found = [tuple(part.strip() for part in line.split(":", 1)) for line in rest]
    error = "" if done.returncode == 0 else f"curl {done.returncode}"
    if not first.startswith("HTTP/2 "):
        error = first
    return Response(int(first.split()[1]), found, (folder / "body").read_bytes(), seconds, error)


def upload_h2(authority, port, path, lines, size):
    """Uploads over HTTP/2 until there is a response, and reads it to its end."""
    import h2.config
    import h2.connection
    import h2.events

    ends = (h2.events.StreamEnded, h2.events.StreamReset, h2.events.ConnectionTerminated)
    context = ssl.create_default_context(cafile=authority)
    context.set_alpn_protocols(["h2"])
    result = Response()
    began = time.monotonic()
    try:
        with context.wrap_socket(connect(port), server_hostname="localhost") as connection:
            state = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
            state.initiate_connection()
            state.increment_flow_control_window(1 << 24)
            pseudo = [(":method", "POST"), (":path", path), (":scheme", "https"), (":authority", "localhost")]
            state.send_headers(1, pseudo + [(name.lower(), value) for name, value in lines])
            left, ended = size, False
            while not ended:
                while left and not result.status and (room := min(state.local_flow_control_window(1), 16384, left)) > 0:
                    left -= room
                    state.send_data(1, CHUNK[:room], end_stream=not left)
                connection.sendall(state.data_to_send())
                data = connection.recv(65536)
                if not data:
                    break
                for event in state.receive_data(data):
                    if isinstance(event, h2.events.ResponseReceived):
                        result.lines = list(event.headers)
                        result.status = int(dict(event.headers)[":status"])
                        result.seconds = time.monotonic() - began
                    elif isinstance(event, h2.events.DataReceived):
                        result.body += event.data
                        state.acknowledge_received_data(event.flow_controlled_length, 1)
                    elif isinstance(event, ends):
                        ended = True
    except OSError as error:
        result.error = type(error).__name__
    return result


def call(authority, port, method, metadata, message=b"ping"):
    """Calls a unary gRPC method. Returns the name of the code, its text, the metadata, and the response."""
    import grpc

    channel = grpc.secure_channel(
        f"localhost:{port}", grpc.ssl_channel_credentials(authority.read_bytes()),
        # A retry would hide what the first response was; a proxy from the environment is not for the loopback.
        [("grpc.enable_retries", 0), ("grpc.enable_http_proxy", 0)],
    )
    with channel:
        try:
            answer, made = channel.unary_unary(method).with_call(message, metadata=metadata, timeout=10)
            return "OK", "", {key: value for key, value in made.initial_metadata()}, answer
        except grpc.RpcError as error:
            found = [*(error.initial_metadata() or ()), *(error.trailing_metadata() or ())]
            return error.code().name, error.details() or "", {key: value for key, value in found}, b""
