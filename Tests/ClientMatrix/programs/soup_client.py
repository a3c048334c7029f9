"""libsoup 3, with Debian's Python."""

import adapter
import gi

gi.require_version("Soup", "3.0")
from gi.repository import Gio, GLib, Soup  # noqa: E402

RUNTIME = f"{Soup.get_major_version()}.{Soup.get_minor_version()}.{Soup.get_micro_version()}"


class Client:
    def __init__(self, case):
        self.session = Soup.Session(timeout=int(case["timeout"]))
        self.session.set_tls_database(Gio.TlsFileDatabase.new(case["ca"]))
        self.session.set_proxy_resolver(None)
        self.two = case["http"] == "2"

    def ask(self, case):
        upload = case["upload"]
        message = Soup.Message.new(case["method"], case["url"].replace("ws", "http", 1))
        for name, value in case["fields"].items():
            message.get_request_headers().append(name, value)
        if upload:
            if upload["expect"]:
                message.get_request_headers().set_expectations(Soup.Expectation.CONTINUE)
            stream = Gio.MemoryInputStream.new_from_bytes(GLib.Bytes.new(adapter.content(upload)))
            message.set_request_body("application/octet-stream", stream, -1 if upload["chunked"] else upload["bytes"])
        if case["kind"] == "websocket":
            return self.handshake(message, case)
        if case["kind"] == "events":
            stream = self.session.send(message, None)
            text = b""
            while b"\ndata:" not in text or not text.endswith(b"\n"):
                text += stream.read_bytes(4096, None).get_data()
            return self.seen(message, adapter.first_event(text.splitlines()))
        try:
            body = self.session.send_and_read(message, None)
        except GLib.Error as error:
            return {"error": f"{error.domain} {error.code}", "message": error.message}
        return self.seen(message, body.get_data() or b"")

    def seen(self, asked, body, **more):
        fields = []
        asked.get_response_headers().foreach(lambda name, value: fields.append((name, value)))
        return adapter.answer(int(asked.get_status()), fields, body, **more)

    def handshake(self, message, case):
        if self.two:
            raise adapter.Unsupported("WebSocket by HTTP/1.1 alone")
        loop, result = GLib.MainLoop(), {}

        def done(session, task):
            try:
                session.websocket_connect_finish(task)
                result["opened"] = True
            except GLib.Error as error:
                result.update(error=error.domain, message=error.message)
            loop.quit()

        self.session.websocket_connect_async(message, None, [], GLib.PRIORITY_DEFAULT, None, done)
        loop.run()
        if "error" in result and message.get_status():
            return self.seen(message, b"", **result)
        return result


if __name__ == "__main__":
    adapter.serve(f"libsoup {RUNTIME}", Client)
