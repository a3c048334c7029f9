"""reqwest, a Rust client, through pyreqwest."""

from datetime import timedelta

import adapter
import pyreqwest
from pyreqwest.client import SyncClientBuilder


class Client:
    def __init__(self, case):
        builder = SyncClientBuilder().no_proxy().timeout(timedelta(seconds=case["timeout"]))
        with open(case["ca"], "rb") as file:
            builder = builder.add_root_certificate_pem(file.read())
        if case["http"] == "1.1":
            builder = builder.http1_only()
        else:
            builder = builder.http2(True)
        self.client = builder.build()

    def ask(self, case):
        if case["kind"] == "websocket":
            raise adapter.Unsupported("no WebSocket")
        upload = case["upload"]
        builder = self.client.request(case["method"], case["url"])
        for name, value in case["fields"].items():
            builder = builder.header(name, value)
        if upload:
            if upload["expect"]:
                raise adapter.Unsupported("does not wait for 100")
            if upload["chunked"]:
                builder = builder.body_stream(adapter.pieces(upload))
            else:
                builder = builder.body_bytes(adapter.content(upload))
        if case["kind"] == "events":
            with builder.streamed_read_buffer_limit(0).build_streamed() as response:
                text = b""
                while b"\ndata:" not in text or not text.endswith(b"\n"):
                    text += bytes(response.body_reader.read_chunk() or b"")
                return adapter.answer(
                    response.status, response.headers.items(), adapter.first_event(text.splitlines())
                )
        response = builder.build().send()
        return adapter.answer(response.status, response.headers.items(), bytes(response.bytes()))


if __name__ == "__main__":
    adapter.serve(f"pyreqwest {pyreqwest.__version__}", Client)
