"""Qt's QNetworkAccessManager, through PySide."""

import adapter
import PySide6
from PySide6.QtCore import QByteArray, QCoreApplication, QEventLoop, QTimer, QUrl
from PySide6.QtNetwork import QNetworkAccessManager, QNetworkReply, QNetworkRequest, QSslCertificate, QSslConfiguration

application = QCoreApplication([])


class Client:
    def __init__(self, case):
        self.manager = QNetworkAccessManager()
        self.manager.setTransferTimeout(int(case["timeout"] * 1000))
        self.two = case["http"] == "2"
        self.tls = QSslConfiguration.defaultConfiguration()
        self.tls.setCaCertificates(QSslCertificate.fromPath(case["ca"]))

    def ask(self, case):
        upload = case["upload"]
        if case["kind"] == "websocket":
            raise adapter.Unsupported("WebSockets are a module of their own")
        request = QNetworkRequest(QUrl(case["url"]))
        request.setAttribute(QNetworkRequest.Attribute.Http2AllowedAttribute, self.two)
        if self.two:
            self.tls.setAllowedNextProtocols([QByteArray(b"h2"), QByteArray(b"http/1.1")])
            request.setSslConfiguration(self.tls)
        for name, value in case["fields"].items():
            request.setRawHeader(name.encode(), value.encode())
        body = QByteArray()
        if upload:
            if upload["chunked"]:
                raise adapter.Unsupported("no body without a length")
            if upload["expect"]:
                raise adapter.Unsupported("does not wait for 100")
            request.setHeader(QNetworkRequest.KnownHeaders.ContentTypeHeader, "application/octet-stream")
            body = QByteArray(adapter.content(upload))
        reply = self.manager.sendCustomRequest(request, case["method"].encode(), body)
        if case["method"] == "HEAD":
            reply.abort()
            reply = self.manager.head(request)
        loop, text = QEventLoop(), bytearray()
        reply.finished.connect(loop.quit)
        # This is in addition to Qt's timeout, which restarts with every byte.
        QTimer.singleShot(int(case["timeout"] * 1500), loop.quit)
        if case["kind"] == "events":

            def read():
                text.extend(bytes(reply.readAll()))
                if b"\ndata:" in text and text.endswith(b"\n"):
                    loop.quit()

            reply.readyRead.connect(read)
        loop.exec()
        status = reply.attribute(QNetworkRequest.Attribute.HttpStatusCodeAttribute)
        fields = [(bytes(name).decode(), bytes(value).decode()) for name, value in reply.rawHeaderPairs()]
        error = reply.error()
        if case["kind"] == "events":
            content = adapter.first_event(bytes(text).splitlines())
            reply.abort()
            return adapter.answer(status, fields, content)
        more = {}
        # In Qt, every status from 400 on is also an error; errors below 200 are those of the network.
        if error != QNetworkReply.NetworkError.NoError and error.value < 200:
            more = {"error": error.name, "message": reply.errorString()}
        if not status:
            return more or {"error": "nothing", "message": "no status"}
        return adapter.answer(status, fields, bytes(reply.readAll()), **more)


if __name__ == "__main__":
    adapter.serve(f"Qt {PySide6.__version__}", Client)
