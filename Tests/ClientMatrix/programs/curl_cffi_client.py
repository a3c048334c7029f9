"""curl-cffi with its bundled libcurl, without impersonating a browser."""

import adapter
import curl_cffi
from curl_cffi import requests


class Client:
    def __init__(self, case):
        version = "v2tls" if case["http"] == "2" else "v1"
        self.session = requests.Session(verify=case["ca"], http_version=version, trust_env=False)

    def ask(self, case):
        if case["kind"] == "websocket":
            raise adapter.Unsupported("no WebSocket with fields of one's own")
        upload, data = case["upload"], None
        fields = dict(case["fields"])
        if upload:
            if upload["chunked"]:
                raise adapter.Unsupported("no body without a length")
            if upload["expect"]:
                fields["Expect"] = "100-continue"
            data = adapter.content(upload)
        events = case["kind"] == "events"
        response = self.session.request(
            case["method"], case["url"], headers=fields, data=data, timeout=case["timeout"], stream=events
        )
        body = adapter.first_event(response.iter_lines()) if events else response.content
        return adapter.answer(response.status_code, response.headers.items(), body)

    def close(self):
        self.session.close()


if __name__ == "__main__":
    adapter.serve(f"curl-cffi {curl_cffi.__version__} ({curl_cffi.__curl_version__.split(' zlib')[0]})", Client)
