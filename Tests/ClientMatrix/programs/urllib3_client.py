"""urllib3, with its defaults, or without retries."""

import sys

import adapter
import urllib3


class Client:
    def __init__(self, case):
        if case["http"] == "2":
            raise adapter.Unsupported("HTTP/1.1 only")
        more = {"retries": False} if sys.argv[1:] == ["once"] else {}
        self.pool = urllib3.PoolManager(ca_certs=case["ca"], **more)

    def ask(self, case):
        if case["kind"] == "websocket":
            raise adapter.Unsupported("no WebSocket")
        upload, body = case["upload"], None
        if upload:
            if upload["expect"]:
                raise adapter.Unsupported("does not wait for 100")
            body = adapter.pieces(upload) if upload["chunked"] else adapter.content(upload)
        events = case["kind"] == "events"
        response = self.pool.request(
            case["method"], case["url"], headers=case["fields"], body=body, timeout=case["timeout"],
            preload_content=not events,
        )
        data = adapter.first_event(lines(response)) if events else response.data
        return adapter.answer(response.status, response.headers.items(), data)

    def close(self):
        self.pool.clear()


def lines(response):
    text = b""
    while True:
        piece = response.read1(1024)
        if not piece:
            return
        text += piece
        *whole, text = text.split(b"\n")
        yield from whole


if __name__ == "__main__":
    adapter.serve(f"urllib3 {urllib3.__version__}", Client)
