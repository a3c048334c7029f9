"""A port of 127.0.0.1 that can be closed and opened again."""

import socket
import ssl
import threading

from .wire import Connection


class Listener:
    """Passes each connection to a function, on a thread of its own."""

    def __init__(self, name, serve, certificate=None, port=0, greet=None):
        self.name = name
        self.serve = serve
        # Called with the connection before TLS; returns False if it has handled the connection.
        self.greet = greet
        self.context = certificate and tls_context(*certificate)
        self.connections = set()
        self.lock = threading.Lock()
        self.socket = bound(port)
        self.port = self.socket.getsockname()[1]
        self.listens = False
        self.open()

    @property
    def origin(self):
        return f"{'https' if self.context else 'http'}://localhost:{self.port}"

    def use_certificate(self, certificate, key):
        """Uses a different certificate from the next handshake on."""
        self.context = tls_context(certificate, key)

    def open(self):
        if self.listens:
            return
        self.listens = True
        self.socket.listen(128)
        threading.Thread(target=self.accept, args=(self.socket,), daemon=True).start()

    def close(self):
        """Refuses new connections and resets open ones. The port remains reserved."""
        if self.listens:
            self.listens = False
            closing = self.socket
            try:
                closing.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            closing.close()
            # The socket is bound but does not listen, so no other process gets the port, and
            # connections are refused.
            self.socket = bound(self.port)
        self.cut()

    def cut(self):
        with self.lock:
            connections = list(self.connections)
        for connection in connections:
            connection.cut()

    def accept(self, listening):
        while True:
            try:
                accepted, _ = listening.accept()
            except OSError:
                return
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.run, args=(accepted,), daemon=True).start()

    def run(self, accepted):
        connection = Connection(accepted, self)
        with self.lock:
            self.connections.add(connection)
        try:
            if self.greet is not None and not self.greet(connection):
                return
            if self.context is not None:
                connection.sock = self.context.wrap_socket(
                    accepted, server_side=True, suppress_ragged_eofs=True)
            self.serve(connection)
            connection.close()
        except (OSError, ValueError):
            # The client has closed or sent invalid data, which tests may do.
            connection.discard()
        finally:
            with self.lock:
                self.connections.discard(connection)


def bound(port):
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    opened.bind(("127.0.0.1", port))
    return opened


def tls_context(certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["http/1.1"])
    return context
