/// Scripts for real clients.
///
/// Each script takes the gate's URL as its first argument.
enum ClientScript {
    /// Posts 30 MB as an outdated build 20 times, and prints how often it read the whole denial.
    ///
    /// Over TLS, the second argument is the CA file.
    static let pythonBigPost = """
        import http.client, json, ssl, sys
        from urllib.parse import urlsplit
        url, body, read = urlsplit(sys.argv[1]), b"x" * 30_000_000, 0
        headers = {"X-App-Id": "com.example.shop", "X-App-Platform": "ios",
                   "X-App-Version": "3.4.9"}
        for _ in range(20):
            if url.scheme == "https":
                context = ssl.create_default_context(cafile=sys.argv[2])
                connection = http.client.HTTPSConnection(url.netloc, timeout=30, context=context)
            else:
                connection = http.client.HTTPConnection(url.netloc, timeout=30)
            connection.request("POST", "/upload", body, headers)
            answer = connection.getresponse()
            problem = json.loads(answer.read())
            read += answer.status == 426 and problem["rule"] == "ios"
            connection.close()
        print(read)
        """

    /// Half-closes the TCP socket after a request, without a TLS close_notify, and prints the first
    /// line of the response.
    static let pythonSecureHalfClose = """
        import socket, ssl, sys
        context = ssl.create_default_context(cafile=sys.argv[2])
        plain = socket.create_connection(("localhost", int(sys.argv[1])), timeout=30)
        secure = context.wrap_socket(plain, server_hostname="localhost")
        secure.sendall(b"GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
        socket.socket.shutdown(secure, socket.SHUT_WR)
        print(secure.recv(65536).split(b"\\r\\n")[0].decode())
        """

    static let nodeBigPost = """
        (async () => {
          const body = Buffer.alloc(30_000_000, "x");
          const headers = {"X-App-Id": "com.example.shop", "X-App-Platform": "ios",
                           "X-App-Version": "3.4.9"};
          let read = 0;
          for (let i = 0; i < 20; i++) {
            const answer = await fetch(process.argv[1] + "/upload",
                                       {method: "POST", body, headers});
            const problem = await answer.json();
            read += answer.status === 426 && problem.rule === "ios" ? 1 : 0;
          }
          console.log(read);
        })();
        """

    /// Sends requests of every kind over one connection and prints the result of each.
    static let pythonKeepAlive = """
        import http.client, json, sys
        from urllib.parse import urlsplit
        connection = http.client.HTTPConnection(urlsplit(sys.argv[1]).netloc, timeout=30)
        def ask(method, target, **more):
            connection.request(method, target, **more)
            socket = connection.sock
            answer = connection.getresponse()
            body = answer.read()
            echo = json.loads(body) if body else {}
            print(method, target, answer.status, echo.get("method"), echo.get("bodyLength"),
                  connection.sock is socket)
        ask("GET", "/a?b=c")
        ask("HEAD", "/a")
        ask("POST", "/b", body=b"x" * 1000)
        ask("PUT", "/c", body=iter([b"x" * 500, b"y" * 700]), encode_chunked=True,
            headers={"Transfer-Encoding": "chunked"})
        ask("DELETE", "/d")
        """

    static let nodeFetch = """
        (async () => {
          const bodies = {GET: undefined, POST: "hello", PATCH: "x".repeat(200000)};
          for (const [method, body] of Object.entries(bodies)) {
            const answer = await fetch(process.argv[1] + "/n?q=%20", {method, body});
            const echo = await answer.json();
            console.log(method, answer.status, echo.method, echo.target, echo.bodyLength);
          }
        })();
        """

    /// Downloads a body, and prints its length and hash.
    static let pythonDownload = """
        import hashlib, http.client, sys
        from urllib.parse import urlsplit
        connection = http.client.HTTPConnection(urlsplit(sys.argv[1]).netloc, timeout=60)
        connection.request("GET", "/download")
        answer, digest, length = connection.getresponse(), hashlib.sha256(), 0
        while block := answer.read(1 << 20):
            digest.update(block)
            length += len(block)
        print(length, digest.hexdigest())
        """

    /// Uploads a body, and prints its hash, and the hash and length that the backend reports.
    ///
    /// The second argument is the size in MiB, and the third the framing: `counted` or `chunked`.
    static let pythonUpload = """
        import hashlib, http.client, json, sys
        from urllib.parse import urlsplit
        count, framing, digest = int(sys.argv[2]), sys.argv[3], hashlib.sha256()
        block = bytes(i * 31 // 7 % 256 for i in range(1 << 20))
        def body():
            for i in range(count):
                piece = block[i:] + block[:i]
                digest.update(piece)
                yield piece
        headers = {"Transfer-Encoding": "chunked"}
        if framing == "counted":
            headers = {"Content-Length": str(count << 20)}
        connection = http.client.HTTPConnection(urlsplit(sys.argv[1]).netloc, timeout=60)
        connection.request("POST", "/upload", body(), headers, encode_chunked=framing == "chunked")
        report = json.loads(connection.getresponse().read())
        print(digest.hexdigest(), report["sha256"], report["bodyLength"])
        """
}
