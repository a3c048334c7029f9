/// One thing in which clients can differ, with all values that two rule sets can tell apart.
struct ComparedDimension<Value: Sendable>: Sendable {
    let values: [Value]
    let labels: [String]

    init(_ values: [(Value, String)]) {
        self.values = values.map(\.0)
        self.labels = values.map(\.1)
    }

    /// The values in words; `nil` for all of them.
    func words(_ chosen: Set<Int>) -> ComparedChoice? {
        let others = self.labels.indices.filter { !chosen.contains($0) }
        guard !others.isEmpty else { return nil }
        let isMost = others.count < chosen.count
        return isMost
            ? .allBut(others.map { self.labels[$0] })
            : .only(chosen.sorted().map { self.labels[$0] })
    }
}

/// Some of the values of a dimension, named or left out by name; what a client does not say is an
/// empty name, and `*` is any that neither rule set names.
package enum ComparedChoice: Sendable, Equatable {
    case only([String])
    case allBut([String])
}

/// A kind of client and request, by the places of its values in their dimensions.
struct ComparedCell: Hashable {
    var app = 0
    var platform = 0
    var channel = 0
    var osVersion = 0
    var build = 0
    var request = 0
}

/// A request that stands for all that a pattern matches.
struct ComparedRequest: Sendable {
    let method: String
    let path: String

    static let other = ComparedRequest(method: "GET", path: "/")

    init(method: String, path: String) {
        self.method = method
        self.path = path
    }

    init(_ pattern: RequestPattern) {
        self.method = pattern.methods?.first ?? "GET"
        let segments = pattern.segments?.map { segment in
            switch segment {
            case .literal(let bytes): String(decoding: bytes, as: UTF8.self)
            case .anyOne, .anythingBelow: "any"
            }
        }
        self.path = segments.map { "/" + $0.joined(separator: "/") } ?? "/any"
    }
}
