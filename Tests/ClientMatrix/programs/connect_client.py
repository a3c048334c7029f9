"""connectrpc, with one of its protocols: Connect, gRPC or gRPC-Web."""

import sys
from importlib.metadata import version
from urllib.parse import urlsplit

import adapter
import pyqwest
from connectrpc.client import ConnectClientSync, ResponseMetadata
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.protocol import ProtocolType
from protobuf.wkt import BytesValue

PROTOCOL = ProtocolType[sys.argv[1]]


class Client:
    def __init__(self, case):
        two = case["http"] == "2"
        if PROTOCOL is ProtocolType.GRPC and not two:
            raise adapter.Unsupported("gRPC is HTTP/2 only")
        with open(case["ca"], "rb") as file:
            transport = pyqwest.SyncHTTPTransport(
                tls_ca_cert=file.read(), http_version=pyqwest.HTTPVersion.HTTP2 if two else pyqwest.HTTPVersion.HTTP1
            )
        address = urlsplit(case["url"])
        self.client = ConnectClientSync(
            f"{address.scheme}://{address.netloc}", protocol=PROTOCOL, send_compression=None,
            http_client=pyqwest.SyncClient(transport),
        )

    def ask(self, case):
        upload = case["upload"]
        if upload and upload["expect"]:
            raise adapter.Unsupported("Connect has no Expect")
        *service, name = urlsplit(case["url"]).path.strip("/").split("/")
        streams = bool(upload and upload["chunked"])
        method = MethodInfo(
            name=name, service_name="/".join(service), input=BytesValue, output=BytesValue,
            idempotency_level=IdempotencyLevel.UNKNOWN,
            stream_type=StreamType.CLIENT_STREAM if streams else StreamType.UNARY,
        )
        given = {"method": method, "headers": case["fields"], "timeout_ms": int(case["timeout"] * 1000)}
        with ResponseMetadata() as metadata:
            try:
                if streams:
                    messages = (BytesValue(value=piece) for piece in adapter.pieces(upload))
                    self.client.execute_client_stream(request=messages, **given)
                else:
                    message = BytesValue(value=adapter.content(upload) if upload else b"")
                    self.client.execute_unary(request=message, **given)
                code, text, details = "OK", "", []
            except ConnectError as error:
                code, text, details = error.code.name, error.message, error.details
        return adapter.answer(code, metadata.headers.items(), text, details=[item.type_name for item in details])


if __name__ == "__main__":
    adapter.serve(f"connectrpc {version('connectrpc')}, pyqwest {version('pyqwest')}", Client)
