"""pycurl, with an easy handle, as in its documentation."""

import io

import adapter
import pycurl


class Client:
    def __init__(self, case):
        self.curl = pycurl.Curl()

    def ask(self, case):
        if case["kind"] == "websocket":
            raise adapter.Unsupported("no WebSocket with fields of one's own")
        curl, body, fields = self.curl, io.BytesIO(), []
        curl.reset()
        curl.setopt(pycurl.URL, case["url"])
        curl.setopt(pycurl.NOPROXY, "*")
        version = pycurl.CURL_HTTP_VERSION_2TLS if case["http"] == "2" else pycurl.CURL_HTTP_VERSION_1_1
        curl.setopt(pycurl.HTTP_VERSION, version)
        if "ca" in case:
            self.ca = case["ca"]
        curl.setopt(pycurl.CAINFO, self.ca)
        curl.setopt(pycurl.TIMEOUT_MS, int(case["timeout"] * 1000))
        curl.setopt(pycurl.NOSIGNAL, 1)
        names = [f"{name}: {value}" for name, value in case["fields"].items()]
        upload = case["upload"]
        if case["method"] == "HEAD":
            curl.setopt(pycurl.NOBODY, 1)
        if upload:
            curl.setopt(pycurl.POST, 1)
            source = io.BytesIO(adapter.content(upload))
            curl.setopt(pycurl.READFUNCTION, source.read)
            # By default, libcurl waits for 100 if the body is not small, which is a separate case here.
            names.append("Expect: 100-continue" if upload["expect"] else "Expect:")
            if upload["chunked"]:
                names.append("Transfer-Encoding: chunked")
            else:
                curl.setopt(pycurl.POSTFIELDSIZE_LARGE, upload["bytes"])
        curl.setopt(pycurl.HTTPHEADER, names)
        curl.setopt(pycurl.HEADERFUNCTION, lambda line: fields.append(line.decode("latin-1").strip()))
        events = case["kind"] == "events"

        def write(piece):
            body.write(piece)
            # Fewer bytes than announced end the transfer.
            return -1 if events and b"\ndata:" in body.getvalue() else len(piece)

        curl.setopt(pycurl.WRITEFUNCTION, write)
        more = {}
        try:
            curl.perform()
        except pycurl.error as error:
            if not (events and b"\ndata:" in body.getvalue()):
                more = adapter.failure(error)
        status = curl.getinfo(pycurl.RESPONSE_CODE)
        if more and not status:
            return more
        pairs = [line.split(": ", 1) for line in fields if ": " in line]
        content = body.getvalue()
        if events:
            content = adapter.first_event(content.splitlines())
        return adapter.answer(status, pairs, content, **more)

    def close(self):
        self.curl.close()


if __name__ == "__main__":
    adapter.serve(pycurl.version.split(" zlib")[0].replace("PycURL/", "pycurl ").replace('"', ""), Client)
