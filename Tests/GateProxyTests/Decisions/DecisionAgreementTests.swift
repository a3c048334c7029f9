import Foundation
import GatePolicy
import GateTestSupport
import GateWire
import NIOEmbedded
import RulesTestSupport
import Testing
import WireSamples

@testable import GateProxy
@testable import GateRules

/// A gateway that asks gets the decision that its client would get from the proxy.
///
/// `VERSIONGATE_AGREEMENT_REQUESTS` is the number of random requests, 3,000 by default.
struct DecisionAgreementTests {
    /// A response of the proxy or of the decision listener; `nil`: the proxy forwards the request.
    private struct Response: Equatable {
        var status: Int
        var fields: [String]
        var body: String

        init?(_ text: String) {
            guard !text.isEmpty else { return nil }
            let parts = text.split(
                separator: "\r\n\r\n",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            let lines = parts[0].split(separator: "\r\n").map(String.init)
            let words = lines.first?.split(separator: " ") ?? []
            guard words.count > 1, let status = Int(words[1]) else {
                Issue.record("not a response: \(text)")
                return nil
            }
            self.status = status
            let hidden = [
                "Date:", "Content-Length:", "X-VersionGate-Decision:", "Connection:", "Upgrade:",
            ]
            self.fields = lines.dropFirst()
                .filter { line in !hidden.contains { line.hasPrefix($0) } }.sorted()
            self.body = parts.count > 1 ? String(parts[1]) : ""
        }
    }

    private static func response(
        _ head: String,
        from connection: Wire<ClientConnection>
    ) throws -> Response? {
        try connection.receive(head)
        defer { connection.disconnect() }
        return Response(connection.socket.takeSent())
    }

    @Test func `all gateways get the decision of the proxy`() throws {
        let count =
            ProcessInfo.processInfo.environment["VERSIONGATE_AGREEMENT_REQUESTS"].flatMap(Int.init)
            ?? 3_000
        let ruleSet = try RulesFileLoader.load(sources: [("rules.yaml", AgreementSample.rules)])
            .ruleSet
        let loop = EmbeddedEventLoop()
        let stage = try Stage(ruleSet: ruleSet, loop: loop, backends: FakeBackends(loop: loop))
        var random = SeededGenerator(seed: 52)
        var denials = 0
        for _ in 0..<count {
            let sample = AgreementSample.random(&random)
            let text = wire(
                ["\(sample.method) \(sample.target) HTTP/1.1", "Host: a"] + sample.fields
            )
            let expected = try Self.response(text, from: stage.client())
            if expected != nil { denials += 1 }
            for gateway in [Gateway.caddy, .envoy, .nginx] {
                let head = Self.question(sample, from: gateway)
                let actual = try #require(try Self.response(head, from: stage.gateway()))
                try Self.compare(actual, with: expected, gateway, sample)
            }
            let call = try Self.check(sample, ruleSet)
            #expect(call == expected?.status, "\(text)")
        }
        #expect(denials > count / 10)
        #expect(denials < count * 9 / 10)
    }

    @Test(arguments: [
        (Gateway.envoyGRPC, AnswerForm.grpcWeb, AnswerForm.grpc),
        (Gateway.envoyGRPC, AnswerForm.grpcWebText, AnswerForm.grpcWebText),
        (Gateway.envoyGRPC, AnswerForm.connectStreamProto, AnswerForm.connect),
        (Gateway.envoy, AnswerForm.grpcWeb, AnswerForm.grpcWeb),
        (Gateway.nginx, AnswerForm.page, AnswerForm.document),
    ])
    func `a gateway gets a form that it can forward`(
        gateway: Gateway,
        form: AnswerForm,
        forwarded: AnswerForm
    ) {
        #expect(gateway.form(for: form) == forwarded)
    }

    private static func question(_ sample: AgreementSample, from gateway: Gateway) -> String {
        switch gateway {
        case .envoy:
            return wire(
                ["\(sample.method) /decide/envoy\(sample.target) HTTP/1.1", "Host: a"]
                    + sample.fields
            )
        case .nginx:
            let described = [
                "X-Original-Method: \(sample.method)", "X-Original-URI: \(sample.target)",
            ]
            return wire(["GET /decide/nginx HTTP/1.1", "Host: a"] + described + sample.fields)
        default:
            let described = [
                "X-Forwarded-Method: \(sample.method)", "X-Forwarded-Uri: \(sample.target)",
            ]
            return wire(["GET /decide/caddy HTTP/1.1", "Host: a"] + described + sample.fields)
        }
    }

    private static func compare(
        _ actual: Response,
        with expected: Response?,
        _ gateway: Gateway,
        _ sample: AgreementSample
    ) throws {
        guard var expected else {
            #expect(actual.status == 200, "\(gateway): \(sample)")
            return
        }
        #expect(actual.status >= 300, "\(gateway): \(sample)")
        if gateway == .nginx {
            #expect(actual.status == 403, "\(gateway): \(sample)")
            return
        }
        // The end of a Connect stream becomes the error of a unary call, which has another status.
        guard !expected.fields.contains("Content-Type: application/connect+json") else { return }
        // A status of success would be taken for permission.
        if expected.status < 300 { expected.status = 426 }
        #expect(actual.status == expected.status, "\(gateway): \(sample)")
        #expect(actual.fields == expected.fields, "\(gateway): \(sample)")
        // Other gateways than Envoy drop the content for a client that asks with HEAD.
        if sample.method != "HEAD" || gateway == .envoy {
            #expect(actual.body == expected.body, "\(gateway): \(sample)")
        }
    }

    /// Returns the status of the denial in a gRPC answer; `nil`: the request is allowed.
    private static func check(_ sample: AgreementSample, _ ruleSet: RuleSet) throws -> Int? {
        var http = ProtobufMessage()
        http.add(2, sample.method)
        http.add(4, sample.target)
        http.add(5, "a")
        var map = ProtobufMessage()
        for field in sample.fields {
            let parts = field.split(separator: ": ", maxSplits: 1, omittingEmptySubsequences: false)
            var line = ProtobufMessage()
            line.add(1, parts[0].lowercased())
            line.add(3, Array((parts.count > 1 ? String(parts[1]) : "").utf8))
            map.add(1, line)
        }
        http.add(13, map)
        var request = ProtobufMessage()
        request.add(2, http)
        var attributes = ProtobufMessage()
        attributes.add(4, request)
        var message = ProtobufMessage()
        message.add(1, attributes)
        let bytes = message.bytes
        let head = try EnvoyCheckRequest(bytes.span).head(in: bytes.span, appField: "x-app-id")
        let rules = WorkerRules(ruleSet, cacheCapacity: 1)
        return try rules.denial(onFirst: String(decoding: head, as: UTF8.self))?.status
    }
}
