import GatePolicy
import Glibc

/// The meaning of a header line for the module.
enum LineMeaning: Equatable {
    case none
    case method
    case target
    /// An identity field; the value is the index into `RuleSet.identityHeaderNames`.
    case identity(UInt8)
    /// A field that only the gate may send to the backend.
    case owned
    case contentType
    case accept
    case connectVersion
    case graphQL
    case origin
    case requestMethod
    case upgrade
    case contentLength
    case transferEncoding
    case expect

    /// Whether the field is removed from the trailer section, which is not evaluated (RFC 9110 section 6.5.1).
    var isForbiddenInTrailers: Bool {
        switch self {
        case .owned, .identity: true
        default: false
        }
    }
}

/// The meanings of header lines by name.
///
/// Names in Envoy's header maps are in lower case. Most names are not in the table, and their length and first byte
/// are sufficient to rule them out.
struct RequestFieldTable {
    private struct Entry {
        let name: [UInt8]
        let meaning: LineMeaning
        /// The number of the next entry in the same bucket, as in `firsts`.
        let next: UInt8
    }

    /// The number of the first entry in each bucket, starting at one; zero for an empty bucket.
    private var firsts = [UInt8](repeating: 0, count: 256)
    private var entries: [Entry] = []

    /// Creates a table that includes the identity fields of the rules.
    init(identityHeaderNames: [String]) {
        let identity = identityHeaderNames.prefix(64).enumerated().map {
            ($1, LineMeaning.identity(UInt8($0)))
        }
        let dialects =
            [(AnswerForm.connectField, LineMeaning.connectVersion)]
            + AnswerForm.graphQLFields.map { ($0, .graphQL) }
        let owned = GateField.forgeable.map { ($0, LineMeaning.owned) }
        // If a name occurs more than once, its first meaning applies, because it is added last and found first.
        for (name, meaning) in (Self.fixed + owned + identity + dialects).prefix(255).reversed() {
            let bytes = Array(name.utf8)
            guard let first = bytes.first else { continue }
            let bucket = Self.bucket(count: bytes.count, first: first)
            self.entries.append(Entry(name: bytes, meaning: meaning, next: self.firsts[bucket]))
            self.firsts[bucket] = UInt8(self.entries.count)
        }
    }

    private static let fixed: [(String, LineMeaning)] = [
        (":method", .method), (":path", .target), ("content-type", .contentType),
        ("accept", .accept), ("origin", .origin),
        ("access-control-request-method", .requestMethod), ("upgrade", .upgrade),
        ("content-length", .contentLength), ("transfer-encoding", .transferEncoding),
        ("expect", .expect),
    ]

    private static func bucket(count: Int, first: UInt8) -> Int {
        (count &* 31 &+ Int(first)) & 0xFF
    }

    /// Returns the meaning of a line with the given name.
    ///
    /// A name in the table with `_` in place of `-` counts as owned by the gate, because CGI and similar interfaces map
    /// both names to the same variable.
    func meaning(of name: UnsafeBufferPointer<UInt8>) -> LineMeaning {
        guard let start = name.baseAddress, name.count > 0 else { return .none }
        var number = unsafe self.firsts[Self.bucket(count: name.count, first: start.pointee)]
        while number != 0 {
            let index = Int(number) - 1
            if self.entries[index].name.count == name.count {
                let difference = unsafe memcmp(start, self.entries[index].name, name.count)
                if difference == 0 { return self.entries[index].meaning }
                if unsafe Self.areTwins(self.entries[index].name, name) { return .owned }
            }
            number = self.entries[index].next
        }
        return .none
    }

    /// Returns the names of the lines whose meaning satisfies a condition.
    func names(
        in lines: UnsafeBufferPointer<EnvoyLine>,
        where isIncluded: (LineMeaning) -> Bool
    ) -> [[UInt8]] {
        unsafe lines.filter { unsafe isIncluded(self.meaning(of: $0.key)) }
            .map { unsafe Array($0.key) }
    }

    private static func areTwins(_ own: [UInt8], _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        for index in own.indices {
            let byte = unsafe name[index]
            let isDash = byte == UInt8(ascii: "_") && own[index] == UInt8(ascii: "-")
            guard byte == own[index] || isDash else { return false }
        }
        return true
    }
}
