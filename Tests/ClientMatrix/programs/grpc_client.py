"""grpcio, with unary calls and a call with a stream of messages from the client."""

from urllib.parse import urlsplit

import adapter
import grpc


def fields_of(case):
    return tuple((name.lower(), value) for name, value in case["fields"].items())


class Client:
    def __init__(self, case):
        with open(case["ca"], "rb") as file:
            credentials = grpc.ssl_channel_credentials(file.read())
        self.channel = grpc.secure_channel(urlsplit(case["url"]).netloc, credentials)

    def ask(self, case):
        raw = {"request_serializer": bytes, "response_deserializer": bytes}
        path, upload = urlsplit(case["url"]).path, case["upload"]
        options = {"metadata": fields_of(case), "timeout": case["timeout"]}
        if upload and upload["expect"]:
            raise adapter.Unsupported("gRPC has no Expect")
        try:
            if upload and upload["chunked"]:
                _, call = self.channel.stream_unary(path, **raw).with_call(adapter.pieces(upload), **options)
            else:
                message = adapter.content(upload) if upload else b""
                _, call = self.channel.unary_unary(path, **raw).with_call(message, **options)
        except grpc.RpcError as error:
            call = error
        known = [*(call.initial_metadata() or ()), *(call.trailing_metadata() or ())]
        fields = [(name, value) for name, value in known if isinstance(value, str)]
        return adapter.answer(call.code().name, fields, call.details() or "")

    def close(self):
        self.channel.close()


if __name__ == "__main__":
    adapter.serve(f"grpcio {grpc.__version__}", Client)
