import Foundation
import GateTestSupport
import Testing

/// The exchanges of `docs/wire`, played with the real gate.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct GoldenExchangeTests {
    private struct Answer {
        var status: Int
        var fields: FieldLines
        var body: [UInt8]

        var text: String { String(decoding: self.body, as: UTF8.self) }

        func has(_ pattern: String) throws -> Bool {
            try self.text.contains(Regex(pattern).dotMatchesNewlines())
        }
    }

    @Test
    func `the gate produces every golden exchange, and its bodies match the schemas`()
        async throws
    {
        let exchanges = try GoldenExchange.played()
        #expect(exchanges.count > 20)
        let rules = GoldenExchange.folder.appending(path: "rules.yaml")
        let bodies = try TemporaryFolder()
        defer { bodies.remove() }
        let secret = GoldenExchange.folder.appending(path: "preview.secret").path
        try await Scene.play(
            rules: String(contentsOf: rules, encoding: .utf8),
            flags: [.previewSecretFile(path: secret)]
        ) { scene in
            for exchange in exchanges {
                let answer = try self.answer(to: exchange, scene)
                try self.compare(answer, with: exchange)
                let text = try String(decoding: self.content(answer, exchange), as: UTF8.self)
                guard let schema = Self.schema(of: text) else { continue }
                try bodies.writeInPlace(text, to: "\(schema) \(exchange.name)")
            }
        }
        let program = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Programs/validate_bodies.py").standardizedFileURL
        let arguments = [program.path, GoldenExchange.folder.path, bodies.path(of: "")]
        let result = try ToolProcess.run("python3", arguments)
        #expect(result.output == "", "\(result.errors)")
        #expect(result.status == 0, "python3 needs jsonschema: \(result.errors)")
    }

    /// Returns the content without its envelope.
    private func content(_ answer: Answer, _ exchange: GoldenExchange) throws -> [UInt8] {
        guard let flags = exchange.response.envelopeFlags else { return answer.body }
        try #require(answer.body.count > 5, "\(exchange.name)")
        #expect(answer.body[0] == flags, "\(exchange.name)")
        let length = answer.body[1...4].reduce(0) { $0 << 8 | Int($1) }
        #expect(length == answer.body.count - 5, "\(exchange.name)")
        return Array(answer.body.dropFirst(5))
    }

    /// Returns the name of the schema for this content.
    private static func schema(of text: String) -> String? {
        if text.contains(#""type":"urn:versiongate:"#) { return "denial" }
        return text.hasPrefix(#"{"decision":"#) ? "status" : nil
    }

    private func compare(_ answer: Answer, with exchange: GoldenExchange) throws {
        let name = exchange.name
        #expect(answer.status == exchange.response.status, "\(name)")
        for (field, values) in exchange.expectedFields {
            let found = answer.fields[field]
            let pattern = exchange.varies?.fields?.first { $0.key.lowercased() == field }?.value
            if let pattern {
                #expect(found.count == values.count, "\(name): \(field)")
                let regex = try Regex(pattern)
                #expect(found.allSatisfy { $0.contains(regex) }, "\(name): \(field): \(found)")
            } else {
                #expect(found == values, "\(name): \(field)")
            }
        }
        for field in exchange.absent ?? [] {
            #expect(answer.fields[field] == [], "\(name): \(field)")
        }
        if let expected = exchange.response.json {
            let content = try Data(self.content(answer, exchange))
            let found = try JSONDecoder().decode(WireJSON.self, from: content)
            let patterns = exchange.varies?.json ?? [:]
            #expect(try found.without(patterns) == expected.without(patterns), "\(name)")
        } else if let pattern = exchange.varies?.body {
            #expect(try answer.has(pattern), "\(name): \(answer.text)")
        } else if let expected = exchange.response.body {
            let found = try String(decoding: self.content(answer, exchange), as: UTF8.self)
            #expect(found == expected, "\(name)")
        }
    }

    private func answer(to exchange: GoldenExchange, _ scene: Scene) throws -> Answer {
        if exchange.request.protocol == "HTTP/2" { return try self.answerHTTP2(exchange, scene) }
        let request = exchange.request
        let client = try scene.connect()
        let fields = request.fields.map { "\($0[0]): \($0[1])\r\n" }.joined()
        try client.send(
            Request.text(request.method, request.target, fields: fields, body: request.body)
        )
        if request.target.hasPrefix("/.versiongate/events") {
            return try self.firstEvent(from: client)
        }
        let response = try client.response(toHead: request.method == "HEAD")
        return Answer(status: response.status, fields: response.fields, body: response.body)
    }

    private func answerHTTP2(_ exchange: GoldenExchange, _ scene: Scene) throws -> Answer {
        let request = exchange.request
        let client = try scene.connectHTTP2()
        let fields = request.fields.map { ($0[0], $0[1]) }
        try client.request(
            1,
            request.method,
            request.target,
            fields,
            endsStream: request.body == nil
        )
        if let body = request.body { try client.data(1, Array(body.utf8), endsStream: true) }
        let response = try client.response(1)
        #expect(response.fields.lines.allSatisfy { $0.name == $0.name.lowercased() })
        return Answer(status: response.status, fields: response.fields, body: response.body)
    }

    /// Returns the response with the chunks of a stream up to its first event.
    private func firstEvent(from client: RawClient) throws -> Answer {
        let head = try #require(try client.head())
        var body: [UInt8] = []
        while true {
            var size = ""
            while !size.hasSuffix("\r\n") {
                size += String(decoding: try client.bytes(1), as: UTF8.self)
                try #require(!size.isEmpty)
            }
            let count = try #require(Int(size.dropLast(), radix: 16))
            body += try client.bytes(count)
            _ = try client.bytes(2)
            let text = String(decoding: body, as: UTF8.self)
            guard !text.contains("data: ") else {
                return Answer(status: head.status, fields: head.fields, body: body)
            }
        }
    }
}
