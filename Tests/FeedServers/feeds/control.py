"""The plain-HTTP control port, with which tests set a server's state and read its log."""

import json

from .messages import Answer

USUAL = {"framing": "length", "pieces": 0, "keepAlive": True}


class Control:
    def __init__(self, server):
        self.server = server

    def serve(self, connection):
        while True:
            request = connection.read_request()
            if request is None:
                return
            try:
                answer = self.answer(request)
            except (ValueError, KeyError, TypeError, AttributeError) as problem:
                # A test's invalid request gets an error response instead of a closed connection.
                text = f"{type(problem).__name__}: {problem}"
                answer = Answer.json({"error": text}, status=400)
            if not connection.send_answer(answer, request, USUAL):
                return

    def answer(self, request):
        server = self.server
        route = (request.method, request.path)
        if route == ("GET", "/"):
            return Answer.json(self.summary())
        if route == ("GET", "/state"):
            return Answer.json(server.protocol.state)
        if route == ("PUT", "/state"):
            server.protocol.replace_state(parsed(request))
        elif route == ("PATCH", "/state"):
            server.protocol.change_state(parsed(request))
        elif route == ("GET", "/fault"):
            return Answer.json(server.faults.remaining())
        elif route == ("PUT", "/fault"):
            server.set_faults(parsed(request))
        elif route == ("DELETE", "/fault"):
            server.set_faults([])
        elif route == ("GET", "/log"):
            after, wait = int(request.parameter("after", 0)), float(request.parameter("wait", 0))
            return Answer.json(server.log.after(after, wait))
        elif route == ("DELETE", "/log"):
            server.log.clear()
        elif route == ("PUT", "/certificate"):
            pair = parsed(request)
            for listener in (server.main, server.other):
                listener.use_certificate(pair["cert"], pair["key"])
        elif route == ("POST", "/disconnect"):
            server.disconnect()
        elif request.method == "POST" and request.path[1:] in server.protocol.actions:
            given = parsed(request) if request.body else {}
            done = server.protocol.actions[request.path[1:]](server.protocol, given)
            return Answer.json({} if done is None else done)
        else:
            return Answer.json({"error": f"no {request.method} {request.path}"}, status=404)
        return Answer.json({})

    def summary(self):
        server = self.server
        return {
            "name": server.name,
            "port": server.main.port,
            "otherPort": server.other.port,
            "plainPort": server.plain.port,
            "controlPort": server.control.port,
            "tls": server.main.context is not None,
        }


def parsed(request):
    return json.loads(request.body)
