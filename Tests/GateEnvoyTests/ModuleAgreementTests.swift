import Foundation
import GatePolicy
import GateTestSupport
import GateWire
import NIOCore
import StandInStreams
import Testing
import WireSamples

@testable import GateEnvoy
@testable import GateProxy

/// The module passes and denies the requests that the proxy passes and denies, with the same fields and content.
///
/// `VERSIONGATE_AGREEMENT_REQUESTS` is the number of random requests, 3,000 by default.
@Suite(.ownThread)
struct ModuleAgreementTests {
    /// What the client or the backend gets.
    private struct Outcome: Equatable {
        /// The status of the denial; `nil`: the request passes.
        var status: Int?
        /// The fields of the denial, or those of the request that passes which the gate may change.
        var fields: [String]
        var body = ""
        /// The fields that the backend's response gets.
        var hints: [String] = []
    }

    @Test func `the module and the proxy agree on random requests`() throws {
        let count =
            ProcessInfo.processInfo.environment["VERSIONGATE_AGREEMENT_REQUESTS"].flatMap(Int.init)
            ?? 3_000
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(AgreementSample.rules, to: "rules.yaml")
        let follower = try RulesFollower(.files(path: folder.path(of: "rules.yaml")))
        let configuration = Configuration(follower)
        let rules = WorkerRules(follower.current(observing: false).ruleSet, cacheCapacity: 1_024)
        var random = SeededGenerator(seed: 55)
        var (denials, differences) = (0, 0)
        for _ in 0..<count {
            let sample = AgreementSample.random(&random)
            let expected = try Self.proxy(sample, rules)
            let actual = try Self.module(sample, configuration)
            if expected.status != nil { denials += 1 }
            guard actual != expected else { continue }
            differences += 1
            // The first ones are enough to find the reason.
            if differences <= 5 { #expect(actual == expected, "\(sample)") }
        }
        #expect(differences == 0)
        #expect(denials > count / 10)
        #expect(denials < count * 9 / 10)
    }

    private static func module(
        _ sample: AgreementSample,
        _ configuration: Configuration
    ) throws -> Outcome {
        let stream = try #require(StandInStream(configuration))
        let isUpgrade = sample.fields.contains { $0.hasPrefix("Upgrade:") }
        stream.send(sample.method, sample.target, sample.fields, endsWithHead: !isUpgrade)
        if let status = stream.status {
            let fields = stream.replyLines.map(\.description).sorted()
            return Outcome(status: status, fields: fields, body: stream.body)
        }
        stream.receive()
        return Outcome(
            fields: stream.requestLines.map(\.description).filter(Self.isCompared).sorted(),
            hints: stream.responseLines.map(\.description).sorted()
        )
    }

    private static func proxy(_ sample: AgreementSample, _ rules: WorkerRules) throws -> Outcome {
        let text = wire(["\(sample.method) \(sample.target) HTTP/1.1", "Host: a"] + sample.fields)
        let bytes = Array(text.utf8)
        var parser = RequestHeadParser()
        try #require(parser.parse(bytes, table: rules.table) == .complete)
        let head = parser.head
        let facts = try RequestFacts(head, in: bytes.span)
        var last: RememberedVerdict?
        let verdict = rules.verdict(
            on: head,
            facts: facts,
            in: bytes.span,
            address: "192.0.2.1",
            last: &last
        )
        if let denial = rules.denial(of: verdict, on: head, in: bytes.span) {
            let origin = sample.fields.first { $0.hasPrefix("Origin: ") }
                .map { String($0.dropFirst("Origin: ".count)) }
            let lines = denial.fieldLines + (origin.map(RenderedAnswer.crossOriginLines) ?? [])
            return Outcome(
                status: denial.status,
                fields: Self.lines(String(decoding: lines, as: UTF8.self)).sorted(),
                body: String(decoding: denial.body, as: UTF8.self)
            )
        }
        let peer = try SocketAddress(ipAddress: "192.0.2.1", port: 1)
        let request = ForwardedRequest(
            head,
            facts: facts,
            in: bytes.span,
            verdict: verdict,
            origin: ClientAddress(peer, trusted: .none),
            upstreamAuthority: "a",
            newRequestID: { RequestID(high: 0, low: 0) }
        )
        var out = ByteBuffer()
        RequestHeadWriter.write(request, into: &out)
        let forwarded = Self.lines(String(buffer: out).split(separator: "\r\n", maxSplits: 1)[1])
        return Outcome(
            fields: forwarded.filter(Self.isCompared).sorted(),
            hints: Self.lines(String(decoding: verdict.clientFields.text, as: UTF8.self)).sorted()
        )
    }

    /// Returns the field lines of a text, with names in lower case.
    private static func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\r\n").map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts[1].drop { $0 == " " }
            return "\(parts[0].lowercased()): \(value)"
        }
    }

    /// Whether a line of a request is not about the connection or its origin, which Envoy handles itself.
    private static func isCompared(_ line: String) -> Bool {
        let others = [
            "host:", "connection:", "upgrade:", "x-forwarded-", "x-request-id:",
            "sec-websocket-key:",
        ]
        return !others.contains { line.hasPrefix($0) }
    }
}
