private import FoundationEssentials
internal import GateRules

/// Which keys of etcd hold rules files: one, or all that begin with a prefix.
enum EtcdSelection: Sendable, Equatable {
    case key(String)
    case prefix(String)

    /// The most keys below a prefix.
    static let maximumKeys = 1_000

    /// The keys that a range and a watch ask for, in the JSON of the gateway.
    var members: [JSONValue.Member] {
        switch self {
        case .key(let key): [.init("key", .text(Self.encoded(Array(key.utf8))))]
        case .prefix(let prefix):
            [
                .init("key", .text(Self.encoded(Array(prefix.utf8)))),
                .init("range_end", .text(Self.encoded(Self.end(of: Array(prefix.utf8))))),
            ]
        }
    }

    /// The name of a key's file; `nil` for the only one.
    func name(of key: String) -> String? {
        switch self {
        case .key: nil
        case .prefix(let prefix):
            key.hasPrefix(prefix) && key != prefix ? String(key.dropFirst(prefix.count)) : key
        }
    }

    /// The first key that does not begin so; no byte of UTF-8 is the last there is.
    private static func end(of prefix: [UInt8]) -> [UInt8] {
        prefix.dropLast() + (prefix.last.map { [$0 + 1] } ?? [])
    }

    private static func encoded(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}

extension EtcdSelection: CustomStringConvertible {
    var description: String {
        switch self {
        case .key(let key): key
        case .prefix(let prefix): "\(prefix)*"
        }
    }
}
