private import FoundationEssentials
internal import GateRules

/// The etcd keys with rules files: a single key, or all keys with a prefix.
enum EtcdSelection: Sendable, Equatable {
    case key(String)
    case prefix(String)

    /// The maximum number of keys with a prefix.
    static let maximumKeys = 1_000

    /// The members that select the keys in a range or watch request to etcd's JSON gateway.
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

    /// Returns the file name for a key; `nil` if only a single key is selected.
    func name(of key: String) -> String? {
        switch self {
        case .key: nil
        case .prefix(let prefix):
            key.hasPrefix(prefix) && key != prefix ? String(key.dropFirst(prefix.count)) : key
        }
    }

    /// Returns the first key after all keys with the prefix.
    ///
    /// The addition cannot overflow, because UTF-8 never contains the byte 0xFF.
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
