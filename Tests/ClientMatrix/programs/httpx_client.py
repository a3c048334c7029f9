"""httpx."""

import ssl

import adapter
import h2
import httpx


class Client:
    def __init__(self, case):
        context = ssl.create_default_context(cafile=case["ca"])
        two = case["http"] == "2"
        self.client = httpx.Client(
            verify=context, http1=not two, http2=two, timeout=case["timeout"], trust_env=False
        )

    def ask(self, case):
        if case["kind"] == "websocket":
            raise adapter.Unsupported("no WebSocket")
        upload, content = case["upload"], None
        if upload:
            if upload["expect"]:
                raise adapter.Unsupported("does not wait for 100")
            content = adapter.pieces(upload) if upload["chunked"] else adapter.content(upload)
        with self.client.stream(case["method"], case["url"], headers=case["fields"], content=content) as response:
            if case["kind"] == "events":
                body = adapter.first_event(response.iter_lines())
            else:
                body = response.read()
            return adapter.answer(response.status_code, response.headers.items(), body)

    def close(self):
        self.client.close()


if __name__ == "__main__":
    adapter.serve(f"httpx {httpx.__version__}, h2 {h2.__version__}", Client)
