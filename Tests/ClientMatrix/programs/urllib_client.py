"""urllib.request from Python's standard library."""

import ssl
import sys
import urllib.error
import urllib.request

import adapter


class Client:
    def __init__(self, case):
        if case["http"] == "2":
            raise adapter.Unsupported("HTTP/1.1 only")
        context = ssl.create_default_context(cafile=case["ca"])
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context)
        )

    def ask(self, case):
        if case["kind"] == "websocket":
            raise adapter.Unsupported("no WebSocket")
        upload, data = case["upload"], None
        if upload:
            if upload["expect"]:
                raise adapter.Unsupported("does not wait for 100")
            data = adapter.pieces(upload) if upload["chunked"] else adapter.content(upload)
        request = urllib.request.Request(case["url"], data, case["fields"], method=case["method"])
        try:
            response = self.opener.open(request, timeout=case["timeout"])
        except urllib.error.HTTPError as error:
            response = error
        with response:
            body = adapter.first_event(response) if case["kind"] == "events" else response.read()
            return adapter.answer(response.status, response.headers.items(), body)


if __name__ == "__main__":
    adapter.serve(f"Python {sys.version.split()[0]}", Client)
