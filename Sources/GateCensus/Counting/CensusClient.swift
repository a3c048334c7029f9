package import GatePolicy

/// A client, with the properties by which the census distinguishes clients.
///
/// This is a class with a stored hash, because each fetch copies and looks up clients several
/// times.
package final class CensusClient: Sendable {
    /// A part of the client identity.
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
    /// The major OS version.
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

    /// The maximum length of a part in bytes, which limits the memory that made-up names can occupy.
    private static let maximumPartLength = 160

    /// Creates a client; returns `nil` if a part exceeds the maximum length.
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
        // The other parts, the build and the major OS version, are numbers.
        let names = max(self.app.length, self.platform.length, self.channel.length)
        guard max(names, self.version.length) <= Self.maximumPartLength else { return nil }
    }

    /// The parts, in the order in which they are stored and displayed.
    package var parts: [Part] {
        [self.app, self.platform, self.channel, self.version, self.build, self.osMajor]
    }

    /// The client identity for rules, limited to what the census records: without device ID,
    /// languages and country, and with only the major OS version.
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

    /// The value that the client sends, if it is parsable.
    package var text: String? {
        guard case .stated(let text) = self else { return nil }
        return text
    }

    fileprivate var length: Int { self.text?.utf8.count ?? 0 }
}
