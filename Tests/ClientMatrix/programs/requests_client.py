"""requests, and libraries with its interface."""

import sys

import adapter


class Client:
    def __init__(self, case):
        self.session = library.Session()
        if library.__name__ == "niquests" and case["http"] == "1.1":
            self.session.close()
            self.session = library.Session(disable_http2=True)
        elif library.__name__ == "requests" and case["http"] == "2":
            raise adapter.Unsupported("HTTP/1.1 only")
        self.session.verify = case["ca"]
        self.session.trust_env = False

    def ask(self, case):
        if case["kind"] == "websocket":
            raise adapter.Unsupported("no WebSocket")
        upload, data = case["upload"], None
        if upload:
            if upload["expect"]:
                raise adapter.Unsupported("does not wait for 100")
            data = adapter.pieces(upload) if upload["chunked"] else adapter.content(upload)
        events = case["kind"] == "events"
        response = self.session.request(
            case["method"], case["url"], headers=case["fields"], data=data, timeout=case["timeout"], stream=events
        )
        body = adapter.first_event(response.iter_lines()) if events else response.content
        return adapter.answer(response.status_code, response.headers.items(), body)

    def close(self):
        self.session.close()


if __name__ == "__main__":
    library = __import__(sys.argv[1])
    adapter.serve(f"{library.__name__} {library.__version__}", Client)
