"""Clients that send exact bytes, and parse the responses."""

import socket


class Connection:
    """An HTTP/1.1 connection for consecutive requests."""

    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, request):
        """Sends a request, and returns the status of the response."""
        self._socket.sendall(request)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self._more()
        head, _, body = answer.partition(b"\r\n\r\n")
        status = int(head[9:12])
        if status in (101, 204, 304):
            return status
        for line in head.split(b"\r\n"):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                while len(body) < int(value):
                    body += self._more()
                return status
        raise OSError("an answer without a length")

    def _more(self):
        data = self._socket.recv(65536)
        if not data:
            raise OSError("the connection ended")
        return data

    def close(self):
        self._socket.close()


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RESET, SETTINGS, PING, WINDOW = 0, 1, 2, 3, 4, 6, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4


def frame(kind, flags, stream, payload=b""):
    return (
        len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload
    )


def text(value):
    """Encodes an HPACK string without Huffman coding (RFC 7541 section 5.2)."""
    count = len(value)
    if count < 127:
        return bytes([count]) + value
    rest, octets = count - 127, [127]
    while rest >= 128:
        octets.append(rest % 128 + 128)
        rest //= 128
    return bytes([*octets, rest]) + value


def literal(name, value, remembered=False):
    """Encodes a field with its name and value (RFC 7541 section 6.2)."""
    return (b"\x40" if remembered else b"\x00") + text(name) + text(value)


class Connection2:
    """An HTTP/2 connection with prior knowledge."""

    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        room = frame(WINDOW, 0, 0, (1 << 30).to_bytes(4, "big"))
        self._socket.sendall(PREFACE + frame(SETTINGS, 0, 0) + room)
        self._buffer = b""
        self._next = 1

    def open(self, block, ends=True):
        """Sends a header block as a request, and returns its stream."""
        stream, self._next = self._next, self._next + 2
        self.send(frame(HEADERS, END_HEADERS | (END_STREAM if ends else 0), stream, block))
        return stream

    def send(self, data):
        self._socket.sendall(data)

    def wait_for(self, kind, stream=None, flags=0):
        """Returns the next frame of this kind, and drops the frames before it."""
        while True:
            got_kind, got_flags, got_stream, payload = self._frame()
            if got_kind == 7:
                raise OSError(f"GOAWAY {payload!r}")
            if got_kind == SETTINGS and not got_flags & ACK:
                self.send(frame(SETTINGS, ACK, 0))
            is_stream = stream is None or got_stream == stream
            if is_stream and got_kind == RESET and kind != RESET:
                raise OSError(f"RST_STREAM {payload!r}")
            if got_kind == kind and is_stream and got_flags & flags == flags:
                return payload

    def ask(self, block):
        """Sends a header block as a request, and waits for the end of the response."""
        stream = self.open(block)
        while True:
            kind, flags, got, payload = self._frame()
            if kind in (7, RESET):
                raise OSError(f"frame {kind}: {payload!r}")
            if kind == SETTINGS and not flags & ACK:
                self.send(frame(SETTINGS, ACK, 0))
            if got == stream and kind in (DATA, HEADERS) and flags & END_STREAM:
                return

    def _frame(self):
        while len(self._buffer) < 9 or len(self._buffer) < 9 + self._length():
            data = self._socket.recv(65536)
            if not data:
                raise OSError("the connection ended")
            self._buffer += data
        end = 9 + self._length()
        raw, self._buffer = self._buffer[:end], self._buffer[end:]
        return raw[3], raw[4], int.from_bytes(raw[5:9], "big") & 0x7FFFFFFF, raw[9:]

    def _length(self):
        return int.from_bytes(self._buffer[:3], "big")

    def close(self):
        self._socket.close()
