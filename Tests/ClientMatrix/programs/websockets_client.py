"""websockets, with the handshake only."""

import ssl

import adapter
import websockets
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect


class Client:
    def __init__(self, case):
        if case["kind"] != "websocket":
            raise adapter.Unsupported("WebSocket only")
        if case["http"] == "2":
            raise adapter.Unsupported("HTTP/1.1 only")

    def ask(self, case):
        context = ssl.create_default_context(cafile=case["ca"]) if case["url"].startswith("wss:") else None
        try:
            with connect(
                case["url"], additional_headers=case["fields"], ssl=context, proxy=None, open_timeout=case["timeout"]
            ):
                return {"opened": True}
        except InvalidStatus as error:
            response = error.response
            return adapter.answer(
                response.status_code, response.headers.raw_items(), response.body or b"", **adapter.failure(error)
            )


if __name__ == "__main__":
    adapter.serve(f"websockets {websockets.__version__}", Client)
