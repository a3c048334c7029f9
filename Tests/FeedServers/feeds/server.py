"""A feed's server: its listeners, its control port, and its log."""

import traceback

from . import PROTOCOLS
from .broken_connections import ENDINGS
from .control import Control
from .faults import Faults
from .listener import Listener
from .log import Log
from .messages import Answer
from .spoiling import Spoiling
from .wrong_answers import ANSWERS


class FeedServer:
    """Responds on three ports: the main one and, as targets of redirects, those of another host and
    of plain HTTP.
    """

    def __init__(self, name, certificate=None, key=None, port=0):
        self.name = name
        self.log = Log()
        self.faults = Faults()
        self.protocol = PROTOCOLS[name](self)
        pair = (certificate, key) if certificate else None
        self.main = Listener("main", self.serve, pair, port, self.greet)
        self.other = Listener("other", self.serve, pair, 0, self.greet)
        self.plain = Listener("plain", self.serve, None, 0, self.greet)
        self.control = Listener("control", Control(self).serve)

    @property
    def port(self):
        return self.main.port

    @property
    def listeners(self):
        return (self.main, self.other, self.plain)

    @property
    def control_port(self):
        return self.control.port

    def set_faults(self, described):
        self.faults.set(described)
        for listener in self.listeners:
            if self.faults.refuses:
                listener.close()
            else:
                listener.open()

    def disconnect(self):
        """Resets every connection; new ones are accepted."""
        for listener in self.listeners:
            listener.cut()

    def greet(self, connection):
        fault = self.faults.for_greeting(connection.listener)
        if fault is None:
            return True
        self.log.add_greeting(connection.listener, fault.kind)
        connection.sock.recv(1)
        if fault.kind == "tls-garbage":
            connection.send(b"this is not TLS at all\r\n")
            connection.close()
        elif fault.kind == "tls-stalled":
            connection.wait_until_gone()
        else:
            connection.reset()
        return False

    def serve(self, connection):
        while True:
            request = connection.read_request()
            if request is None or not self.answer(request, connection):
                return

    def answer(self, request, connection):
        """Responds to a request, and returns whether the connection can be reused."""
        fault = self.faults.for_request(request)
        entry = self.log.add(request, fault)
        answer = self.rightly(request)
        if fault is None and not isinstance(answer, Answer):
            entry["status"] = 200
            answer.run(connection, request)
            return False
        if not isinstance(answer, Answer):
            answer = answer.opening()
        wire = self.protocol.state["wire"]
        self.encode(answer, request, wire, fault)
        if fault is not None:
            spoiling = Spoiling(fault, request, answer, connection, self.protocol)
            if fault.kind in ENDINGS:
                entry["status"] = answer.status
                ENDINGS[fault.kind][0](spoiling)
                return False
            answer = ANSWERS[fault.kind][0](spoiling)
        entry["status"] = answer.status
        return connection.send_answer(answer, request, wire)

    def rightly(self, request):
        """Returns the protocol's response. An error in this program must not look like a connection
        error.
        """
        try:
            return self.protocol.answer(request)
        except Exception:
            traceback.print_exc()
            return Answer(500, "this server is broken; see its standard error", "text/plain")

    @staticmethod
    def encode(answer, request, wire, fault):
        wanted = wire["gzip"] == "always" or (wire["gzip"] == "when-asked" and request.accepts_gzip)
        # A fault that changes the body must be able to read it.
        if wanted and answer.has_body and answer.body and fault is None:
            answer.compress()
