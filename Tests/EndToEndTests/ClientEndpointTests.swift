import GateTestSupport
import Glibc
import Testing

/// An app's requests to the gate's own endpoints, and the responses.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct ClientEndpointTests {
    /// Returns the next line of a stream with this prefix; `nil` at the end of the stream.
    private func line(
        _ prefix: String,
        from client: RawClient,
        _ seen: inout String,
        by deadline: Deadline = .usual
    ) throws -> String? {
        while true {
            while let end = seen.firstIndex(of: "\n") {
                let line = seen[..<end]
                seen = String(seen[seen.index(after: end)...])
                if line.hasPrefix(prefix) { return String(line) }
            }
            let bytes = try client.bytes(1, by: deadline)
            guard !bytes.isEmpty else { return nil }
            seen += String(decoding: bytes, as: UTF8.self)
        }
    }

    @Test
    func `a status response follows the rules, and its ETag changes with them`() async throws {
        try await Scene.play { scene in
            let check = Request.text("GET", "/.versiongate/status", fields: Request.current)
            let first = try scene.ask(check)
            #expect(first.status == 200)
            #expect(String(decoding: first.body, as: UTF8.self).contains(#""decision":"allow""#))
            let tag = try #require(first.fields["ETag"].first)
            let known = Request.text(
                "GET",
                "/.versiongate/status",
                fields: Request.current + "If-None-Match: \(tag)\r\n"
            )
            #expect(try scene.ask(known).status == 304)
            try scene.reload(RulesText.shop(minimum: "5.0.0"))
            let changed = try scene.ask(known)
            #expect(changed.status == 200)
            #expect(
                String(decoding: changed.body, as: UTF8.self).contains(#""decision":"require""#)
            )
            #expect(try scene.finalRecord().requests.isEmpty)
        }
    }

    @Test
    func `an event stream reports a change within a second, and only to affected clients`()
        async throws
    {
        try await Scene.play { scene in
            let current = try scene.connect()
            let outdated = try scene.connect()
            let target = "/.versiongate/events"
            try current.send(Request.text("GET", target, fields: Request.current))
            try outdated.send(Request.text("GET", target, fields: Request.outdated))
            var seen = ""
            var other = ""
            #expect(try current.head()?.status == 200)
            #expect(try outdated.head()?.status == 200)
            let begun = try self.line("data: ", from: current, &seen)
            #expect(begun?.contains(#""decision":"allow""#) == true)
            let refused = try self.line("data: ", from: outdated, &other)
            #expect(refused?.contains(#""decision":"require""#) == true)
            try scene.folder.replace("rules.yaml", with: RulesText.shop(minimum: "4.0.0"))
            scene.gate.send(signal: SIGHUP)
            let raised = try self.line(
                "data: ",
                from: current,
                &seen,
                by: .after(.seconds(1) * GateExecutable.slowdown)
            )
            #expect(raised?.contains(#""minimumVersion":"4.0.0""#) == true)
            try scene.folder.replace("rules.yaml", with: RulesText.shop(minimum: "3.5.0"))
            scene.gate.send(signal: SIGHUP)
            let lowered = try self.line("data: ", from: current, &seen)
            #expect(lowered?.contains(#""decision":"allow""#) == true)
            // The outdated build is denied throughout, and receives only the changes of the
            // minimum.
            for minimum in ["4.0.0", "3.5.0"] {
                let told = try self.line("data: ", from: outdated, &other)
                #expect(told?.contains("\"minimumVersion\":\"\(minimum)\"") == true)
            }
            #expect(!other.contains("data: "))
        }
    }

    @Test
    func `HEAD of an event stream gets the fields of the stream and ends at once`() async throws {
        try await Scene.play { scene in
            let client = try scene.connect()
            for version in ["1.1", "1.0"] {
                try client.send(
                    "HEAD /.versiongate/events HTTP/\(version)\r\nHost: gate\r\n"
                        + "Connection: keep-alive\r\n\(Request.current)\r\n"
                )
                let head = try client.head(toHead: true)
                #expect(head?.status == 200)
                #expect(head?.fields["Content-Type"] == ["text/event-stream"])
                #expect(head?.fields["Content-Length"] == [])
                #expect(head?.fields["ETag"] == [])
            }
            // The connection stays usable.
            try client.send(Request.text(fields: Request.current))
            #expect(try client.response().status == 200)
        }
    }

    @Test
    func `an event stream ends properly when the gate stops`() async throws {
        try await Scene.play { scene in
            let client = try scene.connect()
            try client.send(
                Request.text("GET", "/.versiongate/events", fields: Request.current)
            )
            var seen = ""
            _ = try client.head()
            _ = try self.line("data: ", from: client, &seen)
            scene.gate.send(signal: SIGTERM)
            #expect(try self.line("never", from: client, &seen) == nil)
            #expect(scene.gate.end() == .status(0))
        }
    }

    @Test
    func `a browser gets an HTML denial, and a gRPC-Web client a gRPC status`() async throws {
        try await Scene.play { scene in
            let page = try scene.ask(
                Request.text(
                    fields: Request.outdated
                        + "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n"
                )
            )
            #expect(page.status == 426)
            #expect(page.fields["Content-Type"] == ["text/html; charset=utf-8"])
            let call = try scene.ask(
                Request.text(
                    "POST",
                    "/shop.Orders/List",
                    fields: Request.outdated + "Content-Type: application/grpc-web+proto\r\n",
                    body: "\u{0}\u{0}\u{0}\u{0}\u{0}"
                )
            )
            #expect(call.status == 200)
            #expect(call.fields["Content-Type"] == ["application/grpc-web"])
            #expect(call.body.first == 0x80 && call.text.contains("grpc-status:9\r\n"))
        }
    }
}
