package import GatePolicy

/// A client as the census tells it from others.
///
/// An object that knows its hash: each fetch copies it, and looks it up, several times.
package final class CensusClient: Sendable {
    /// A part of its identity.
    package enum Part: Sendable, Hashable {
        case missing
        case unreadable
        case stated(String)
    }

    package let app: Part
    package let platform: Part
    package let channel: Part
    package let version: Part
    package let build: Part
    /// The first number of its system's version.
    package let osMajor: Part
    private let digest: Int

    package init(
        app: Part = .missing,
        platform: Part = .missing,
        channel: Part = .missing,
        version: Part = .missing,
        build: Part = .missing,
        osMajor: Part = .missing
    ) {
        self.app = app
        self.platform = platform
        self.channel = channel
        self.version = version
        self.build = build
        self.osMajor = osMajor
        self.digest = [app, platform, channel, version, build, osMajor].hashValue
    }

    /// The longest text of a part, in bytes: what a client invents must not cost more.
    private static let longestPart = 160

    /// - Returns: `nil` for a client that says more than anybody wants to keep.
    package convenience init?(_ identity: ClientIdentity) {
        self.init(
            app: Part(identity.app) { $0 },
            platform: Part(identity.platform, \.name),
            channel: Part(identity.channel) { $0 },
            version: Part(identity.version, \.description),
            build: Part(identity.build) { "\($0)" },
            osMajor: Part(identity.osVersion) { version in
                String(version.description.prefix { $0.isASCII && $0.isNumber })
            }
        )
        // The others are numbers.
        let names = max(self.app.length, self.platform.length, self.channel.length)
        guard max(names, self.version.length) <= Self.longestPart else { return nil }
    }

    /// In the order in which they are kept and shown.
    package var parts: [Part] {
        [self.app, self.platform, self.channel, self.version, self.build, self.osMajor]
    }

    /// The client as rules judge it, as far as the census knows it: without device, languages and
    /// country, and with nothing of its system's version but the first number.
    package var identity: ClientIdentity {
        ClientIdentity(
            app: self.app.claim { $0 },
            platform: self.platform.claim { Platform($0) },
            version: self.version.claim { try? AppVersion(parsing: $0) },
            build: self.build.claim { try? BuildNumber(parsing: $0) },
            channel: self.channel.claim { $0 },
            osVersion: self.osMajor.claim { try? AppVersion(parsing: $0) }
        )
    }
}

extension CensusClient: Hashable {
    package static func == (left: CensusClient, right: CensusClient) -> Bool {
        left === right || left.digest == right.digest && left.parts == right.parts
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(self.digest) }
}

extension CensusClient.Part {
    fileprivate init<Value>(_ claim: Claim<Value>, _ text: (Value) -> String) {
        switch claim {
        case .missing: self = .missing
        case .unreadable: self = .unreadable
        case .stated(let value): self = .stated(text(value))
        }
    }

    fileprivate func claim<Value>(_ read: (String) -> Value?) -> Claim<Value> {
        switch self {
        case .missing: .missing
        case .unreadable: .unreadable("")
        case .stated(let text): read(text).map { .stated($0) } ?? .unreadable(text)
        }
    }

    /// The client's statement, if it is readable.
    package var text: String? {
        guard case .stated(let text) = self else { return nil }
        return text
    }

    fileprivate var length: Int { self.text?.utf8.count ?? 0 }
}
