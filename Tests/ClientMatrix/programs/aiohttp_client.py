"""aiohttp."""

import asyncio
import ssl

import adapter
import aiohttp


class Client:
    def __init__(self, case):
        if case["http"] == "2":
            raise adapter.Unsupported("HTTP/1.1 only")
        self.runner = asyncio.Runner()
        self.session = self.runner.run(self.open(case))

    async def open(self, case):
        connector = aiohttp.TCPConnector(ssl=ssl.create_default_context(cafile=case["ca"]))
        timeout = aiohttp.ClientTimeout(total=case["timeout"])
        return aiohttp.ClientSession(connector=connector, timeout=timeout)

    def ask(self, case):
        return self.runner.run(self.exchange(case))

    async def exchange(self, case):
        if case["kind"] == "websocket":
            try:
                async with self.session.ws_connect(case["url"], headers=case["fields"]):
                    return {"opened": True}
            except aiohttp.WSServerHandshakeError as error:
                return adapter.answer(error.status, error.headers.items(), b"", **adapter.failure(error))
        upload, data, expect = case["upload"], None, False
        if upload:
            expect = upload["expect"]
            data = self.pieces(upload) if upload["chunked"] else adapter.content(upload)
        asked = self.session.request(
            case["method"], case["url"], headers=case["fields"], data=data, expect100=expect
        )
        async with asked as response:
            if case["kind"] == "events":
                async for line in response.content:
                    if line.startswith(b"data:"):
                        return adapter.answer(response.status, response.headers.items(), line.strip())
            return adapter.answer(response.status, response.headers.items(), await response.read())

    async def pieces(self, upload):
        for piece in adapter.pieces(upload):
            yield piece

    def close(self):
        self.runner.run(self.session.close())
        self.runner.close()


if __name__ == "__main__":
    adapter.serve(f"aiohttp {aiohttp.__version__}", Client)
