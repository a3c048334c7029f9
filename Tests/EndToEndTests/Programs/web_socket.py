"""Runs a WebSocket backend, and opens a WebSocket in a headless Chromium through the gate."""

import base64
import hashlib
import socketserver
import struct
import sys
import tempfile
import threading

from browser import Browser

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TALK = """new Promise((resolve) => {
    const socket = new WebSocket(location.href.replace("https:", "wss:") + "chat", ["echo"]);
    const text = "hello ".repeat(50000);
    let heard = 0;
    socket.onopen = () => { socket.send(text); socket.send("short"); };
    socket.onmessage = (event) => {
        heard += event.data === (heard ? "short" : text);
        if (heard === 2) socket.close(1000);
    };
    socket.onclose = (event) => resolve(`${socket.protocol} ${heard} ${event.code} ${event.wasClean}`);
})"""


class Backend(socketserver.StreamRequestHandler):
    """Responds to one request with a page, or with a WebSocket that echoes each message."""

    def handle(self):
        lines = iter(lambda: self.rfile.readline().strip().decode(), "")
        next(lines, None)
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        if "upgrade" not in fields:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        words = hashlib.sha1((fields["sec-websocket-key"] + GUID).encode()).digest()
        answer = f"Sec-WebSocket-Accept: {base64.b64encode(words).decode()}\r\nSec-WebSocket-Protocol: echo\r\n\r\n"
        self.wfile.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n")
        self.wfile.write(answer.encode())
        while self.repeat():
            pass

    def repeat(self):
        """Echoes a frame without its mask, and returns whether another one may follow."""
        first, length = self.rfile.read(2)
        length &= 0x7F
        more = {126: ">H", 127: ">Q"}.get(length)
        if more:
            (length,) = struct.unpack(more, self.rfile.read(struct.calcsize(more)))
        key = self.rfile.read(4)
        masked = self.rfile.read(length)
        payload = bytes(byte ^ key[index % 4] for index, byte in enumerate(masked))
        if length < 126:
            size = bytes([length])
        else:
            # Only the shortest encoding of the length is allowed.
            size = struct.pack(">BH", 126, length) if length < 1 << 16 else struct.pack(">BQ", 127, length)
        self.wfile.write(bytes([first]) + size + payload)
        return first & 0x0F != 8


class Backends(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


def main():
    port, address = int(sys.argv[1]), sys.argv[2]
    with Backends(("127.0.0.1", port), Backend) as backends, tempfile.TemporaryDirectory() as profile:
        threading.Thread(target=backends.serve_forever, daemon=True).start()
        browser = Browser(profile, "--ignore-certificate-errors")
        browser.go(address)
        print(browser.evaluate("performance.getEntriesByType('navigation')[0].nextHopProtocol"))
        print(browser.evaluate(TALK))
        browser.process.terminate()
        browser.process.wait()
        backends.shutdown()


main()
