import FoundationEssentials
import StandInStreams

/// Properties of any requests that run through the module for Envoy, with a stand-in for Envoy.
///
/// The input consists of requests, separated by empty lines. Each line is a header field: a byte for its name, and the
/// value. The first byte of a request selects its method and its route.
struct EnvoyModuleProperties {
    private static let names = [
        "x-app-platform", "x-app-version", "x-app-build", "x-app-id", "x-app-channel",
        "x-device-id",
        "accept-language", "accept", "content-type", "connect-protocol-version", "user-agent",
        "origin",
        "access-control-request-method", "upgrade", "content-length", "x-versiongate-decision",
        "x-versiongate-preview", "x-versiongate-pass", "x_app_version", "x-os-version", "cookie",
    ]
    private static let methods = ["GET", "POST", "OPTIONS", "HEAD"]
    private static let rules = #"""
        identity: { query: { version: v, platform: p } }
        unidentified: { missing: allow, unreadable: reject, storeUrl: "https://a.example" }
        exempt: [/health]
        rules:
          - { id: ios, match: { platform: ios }, minimum: "3.5.0", recommended: 4.2.0, blocked: [3.7.x],
              storeUrl: { default: "https://a.example", beta: "https://b.example" } }
          - { id: builds, match: { platform: android, path: /orders/** }, minimumBuild: 350,
              storeUrl: "https://a.example" }
          - { id: some, match: { app: com.example.a }, minimum: "4.0", rollout: 50, requiresOS: ">=15.2",
              storeUrl: "https://a.example" }
          - { id: old, match: { channel: beta }, route: { to: legacy, versions: "<4.0.0", otherwise: refuse } }
        """#

    /// A filter for all inputs, whose tables are full of other clients, and the settings for more filters with its rules.
    private static let shared: (filter: Configuration, settings: String)? = {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "versiongate-fuzz-\(ProcessInfo.processInfo.processIdentifier)")
        // The filters keep the rules when their file is gone.
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "rules.yaml")
        do {
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true
            )
            try Data(Self.rules.utf8).write(to: file)
        } catch {
            return nil
        }
        let settings = "rules: \(file.path)"
        return Configuration(settings).map { ($0, settings) }
    }()
    private static let routes = [
        nil, Route("mode: observe"), Route("path: /orders/7"), Route("path: /health"),
    ]

    /// What a request leads to.
    private struct Outcome: Equatable {
        let passes: Bool
        let status: Int?
        let body: String
        let lines: [StandInStream.Line]
        let metadata: [StandInStream.Line]
    }

    private let requests: [[ArraySlice<UInt8>]]

    init(_ input: [UInt8]) {
        let lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        self.requests = lines.split { $0.isEmpty }.map(Array.init)
    }

    /// Checks that a request has the same outcome with full and with empty tables, and what it may look like.
    func check() throws(Finding) {
        guard let (shared, settings) = Self.shared, let fresh = Configuration(settings) else {
            throw Finding("the rules of this target do not load")
        }
        for request in self.requests.prefix(8) {
            let expected = try Self.outcome(of: request, fresh)
            for configuration in [shared, shared, fresh] {
                let outcome = try Self.outcome(of: request, configuration)
                try expect(outcome == expected, "\(outcome) instead of \(expected)")
            }
            try Self.check(expected)
        }
    }

    private static func check(_ outcome: Outcome) throws(Finding) {
        if outcome.passes {
            try expect(outcome.status == nil, "a request passes and is answered")
            let names = outcome.lines.map(\.name)
            try expect(
                names.count { $0 == "x-versiongate-decision" } <= 1,
                "the backend gets a decision of the client"
            )
            for name in ["x-versiongate-preview", "x-versiongate-pass", "x_app_version"] {
                try expect(!names.contains(name), "the backend gets \(name)")
            }
        } else {
            let status = outcome.status ?? 0
            try expect(status == 200 || (400..<600).contains(status), "a denial with \(status)")
            try expect(
                outcome.lines.contains { $0.name.lowercased() == "x-versiongate" },
                "a denial without its field"
            )
        }
    }

    private static func outcome(
        of request: [ArraySlice<UInt8>],
        _ configuration: Configuration
    ) throws(Finding) -> Outcome {
        guard let stream = StandInStream(configuration) else { throw Finding("there is no stream") }
        let choice = request.first?.first.map(Int.init) ?? 0
        if let route = Self.routes[choice / 4 % Self.routes.count] { stream.use(route) }
        let lines = request.dropFirst().map { line in
            // Envoy rejects control characters in values.
            let value = line.dropFirst().filter { $0 >= 0x20 && $0 != 0x7F }
            let name = Self.names[Int(line.first ?? 0) % Self.names.count]
            return "\(name): \(String(decoding: value, as: UTF8.self))"
        }
        let target = String(decoding: (request.first ?? []).dropFirst(), as: UTF8.self)
        let passes = stream.send(
            Self.methods[choice % Self.methods.count],
            "/" + target,
            lines,
            endsWithHead: choice & 64 == 0
        )
        if passes {
            // The rules do not change, so whatever passes continues.
            try expect(stream.sendData(), "a part of the body of a request is stopped")
            stream.receive([":status: 200", "content-type: text/event-stream"])
            try expect(stream.receiveData(), "a part of the body of a response is stopped")
        }
        return Outcome(
            passes: passes,
            status: stream.status,
            body: stream.body,
            lines: passes ? stream.requestLines : stream.replyLines,
            metadata: stream.metadata
        )
    }
}
