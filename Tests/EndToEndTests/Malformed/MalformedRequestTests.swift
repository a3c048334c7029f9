import GateTestSupport
import Testing

/// What is malformed or ambiguous is refused, and nothing of it gets behind the gate.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(2)))
struct MalformedRequestTests {
    @Test(arguments: MalformedRequest.framing)
    func `the framing of a request is beyond doubt or refused`(
        _ request: MalformedRequest
    ) async throws {
        try await self.check(request)
    }

    @Test(arguments: MalformedRequest.fields)
    func `the fields of a request are beyond doubt or refused`(
        _ request: MalformedRequest
    ) async throws {
        try await self.check(request)
    }

    @Test(arguments: MalformedRequest.requestLines)
    func `a request line is beyond doubt or refused`(_ request: MalformedRequest) async throws {
        try await self.check(request)
    }

    @Test(arguments: MalformedRequest.chunks)
    func `a chunked body is beyond doubt or refused`(_ request: MalformedRequest) async throws {
        try await self.check(request)
    }

    @Test(arguments: [1, 3, 7])
    func `the pieces in which a malformed request comes make no difference`(
        _ size: Int
    ) async throws {
        let text =
            "POST /refused HTTP/1.1\r\nHost: gate\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n"
        let bytes = Array(text.utf8) + MalformedRequest.follower
        try await Scene.play { scene in
            let client = try scene.connect()
            for start in stride(from: 0, to: bytes.count, by: size) {
                try client.send(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            try self.expectRefusal(of: client, with: [400])
            #expect(try scene.finalRecord().received.isEmpty)
        }
    }

    @Test
    func `the host of an absolute target beats the Host field`() async throws {
        try await Scene.play { scene in
            let response = try scene.ask("GET http://gate/a HTTP/1.1\r\nHost: evil\r\n\r\n")
            if response.status == 200 {
                let echo: EchoReport = try response.json()
                #expect(echo.fields["Host"] == ["gate"])
                #expect(echo.target == "/a" || echo.target == "http://gate/a")
            } else {
                #expect(response.status == 400)
            }
        }
    }

    private func check(_ request: MalformedRequest) async throws {
        try await Scene.play { scene in
            let client = try scene.connect()
            try client.send(request.bytes + MalformedRequest.follower)
            switch request.outcome {
            case .refused(let statuses):
                try self.expectRefusal(of: client, with: statuses)
                try self.expectNothingBehind(scene, request.part)
            case .passes(let body):
                try self.expectPassage(of: client, body: body)
                #expect(try scene.finalRecord().exchanges.filter(\.isComplete).count == 2)
            case .refusedOrPasses(let statuses):
                let response = try client.response()
                if response.status == 200 {
                    try self.expectSafePassage(of: response)
                    #expect(try client.response().status == 200)
                    client.close()
                } else {
                    try self.expectRefusal(response, of: client, with: statuses)
                    try self.expectNothingBehind(scene, request.part)
                }
            }
        }
    }

    private func expectRefusal(of client: RawClient, with statuses: [Int]) throws {
        try self.expectRefusal(try client.response(), of: client, with: statuses)
    }

    private func expectRefusal(
        _ response: RawResponse,
        of client: RawClient,
        with statuses: [Int]
    ) throws {
        #expect(statuses.contains(response.status), "\(response.status)")
        #expect(response.version == "HTTP/1.1")
        #expect(response.fields.tokens("Connection") == ["close"])
        _ = try response.problem()
        let rest = try client.rest()
        #expect(rest.bytes.isEmpty, "\(String(decoding: rest.bytes, as: UTF8.self))")
        #expect(rest.by == .closed)
        client.close()
    }

    private func expectNothingBehind(_ scene: Scene, _ part: MalformedRequest.Part) throws {
        let record = try scene.finalRecord()
        switch part {
        case .head:
            #expect(record.received.isEmpty, "\(String(decoding: record.received, as: UTF8.self))")
        case .body(let hidden):
            #expect(!record.contains(hidden))
            #expect(record.exchanges.allSatisfy { !$0.isComplete })
            #expect(record.exchanges.count <= 1)
            #expect(!record.contains("/follower"))
            #expect(!record.contains("/smuggled"))
        }
    }

    private func expectPassage(of client: RawClient, body: String) throws {
        let response = try client.response()
        try #require(response.status == 200, "\(response.text)")
        let echo: EchoReport = try response.json()
        #expect(echo.body == body)
        let follower: EchoReport = try client.response().json()
        #expect(follower.target == "/follower")
        client.close()
    }

    /// What the RFC lets pass must still not carry its fault to the backend.
    private func expectSafePassage(of response: RawResponse) throws {
        let echo: EchoReport = try response.json()
        #expect(["HTTP/1.1", "HTTP/1.0"].contains(echo.version))
        #expect(echo.fields["Content-Length"].count <= 1)
        #expect(["", "hello"].contains(echo.body))
        for name in ["Content-Length", "Transfer-Encoding", "Host", "X-App-Version"] {
            #expect(echo.trailers[name].isEmpty)
        }
    }
}
