/// A table of the roles of header fields by name.
///
/// This is a class, so that code that stores roles can check by identity which table they are from.
package final class FieldNameTable: Sendable {
    private let names: NameTable<FieldRole>

    /// Creates a table of at most 255 lower-case field names; if a name occurs twice, its first
    /// entry applies.
    package init(_ names: [(String, FieldRole)]) {
        self.names = NameTable(names)
    }

    package static let response = FieldNameTable(FieldRole.responseFields)

    /// Returns a table for requests.
    ///
    /// It contains the gate's own fields, the identity fields of the rules, and the fields that
    /// identify the client's protocol.
    package static func request(identityHeaderNames: [String]) -> FieldNameTable {
        let identity = identityHeaderNames.prefix(64).enumerated().map { index, name in
            (name, FieldRole.identity(UInt8(index)))
        }
        return FieldNameTable(FieldRole.requestFields + identity + FieldRole.dialectFields)
    }

    @inline(always)
    package func role(in bytes: Span<UInt8>, from start: Int, to end: Int) -> FieldRole {
        switch self.names.match(bytes, from: start, to: end) {
        case .found(let role): role
        case .twin: .gateOwned
        case .none: .other
        }
    }
}

/// A table that maps header field names to values, ignoring case.
///
/// A lookup creates no `String`. The table is optimized for names that it does not contain: the
/// length and the first byte exclude nearly all of them. The data is stored in three flat arrays,
/// because following a reference costs more here than comparing a name.
struct NameTable<Value: Sendable>: Sendable {
    private struct Entry {
        var nameStart: Int
        var nameCount: Int
        /// The first eight and the last eight bytes of the name, padded with zeros if the name is shorter.
        var ends: (first: UInt64, last: UInt64)
        /// Whether the name consists only of letters, digits and hyphens, all of them in `ends`.
        var isPlain: Bool
        /// The number of the next entry in the same bucket, counted as in `firsts`.
        var next: UInt8
        var value: Value
    }

    package enum Match {
        case found(Value)
        /// The name differs from a name in the table only in a `_` in place of a `-`.
        ///
        /// CGI and similar interfaces map both names to the same variable, so a twin of a field
        /// that the gate sets or checks must not reach the backend.
        case twin
        case none
    }

    /// The number of the first entry in each bucket, counted from one, or zero for an empty bucket.
    private var firsts: [UInt8]
    private var entries: [Entry] = []
    private var names: [UInt8] = []

    /// Creates a table of at most 255 lower-case names; if a name occurs twice, its first entry applies.
    init(_ names: [(String, Value)]) {
        self.firsts = Array(repeating: 0, count: 256)
        for (name, value) in names.prefix(255).reversed() {
            let bytes = Array(name.utf8)
            guard let first = bytes.first else { continue }
            let bucket = Self.bucket(length: bytes.count, first: first | 0x20)
            self.entries.append(
                Entry(
                    nameStart: self.names.count,
                    nameCount: bytes.count,
                    ends: (bytes.span.word(at: 0), bytes.span.word(at: max(0, bytes.count - 8))),
                    isPlain: bytes.count <= 16 && bytes.allSatisfy(Self.isPlain),
                    next: self.firsts[bucket],
                    value: value
                )
            )
            self.firsts[bucket] = UInt8(self.entries.count)
            self.names += bytes
        }
    }

    @inline(always)
    func match(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Match {
        guard start < end else { return .none }
        let bucket = Self.bucket(length: end - start, first: bytes[start] | 0x20)
        let first = self.firsts[bucket]
        return first == 0 ? .none : self.find(in: bytes, from: start, to: end, first: first)
    }

    @inline(always)
    private func find(
        in bytes: Span<UInt8>,
        from start: Int,
        to end: Int,
        first: UInt8
    ) -> Match {
        var candidate = first
        let ends = Self.ends(of: bytes, from: start, to: end)
        while candidate != 0 {
            let entry = self.entries[Int(candidate) - 1]
            if entry.nameCount == end - start {
                if entry.isPlain {
                    if entry.ends == ends { return .found(entry.value) }
                    if !Self.mayBeTwins(entry.ends, ends) {
                        candidate = entry.next
                        continue
                    }
                }
                switch self.compare(bytes, from: start, with: entry) {
                case .same: return .found(entry.value)
                case .twin: return .twin
                case .different: break
                }
            }
            candidate = entry.next
        }
        return .none
    }

    /// Returns the ends of a token in lower case.
    ///
    /// A token has the same ends as a plain name of the same length only if they are equal, ignoring case.
    @inline(always)
    private static func ends(
        of bytes: Span<UInt8>,
        from start: Int,
        to end: Int
    ) -> (first: UInt64, last: UInt64) {
        let lowercase: UInt64 = 0x2020_2020_2020_2020
        let first = bytes.word(at: start) | lowercase
        guard end - start < 8 else { return (first, bytes.word(at: end - 8) | lowercase) }
        let name = first & ((1 &<< UInt64(8 * (end - start))) - 1)
        return (name, name)
    }

    /// Returns whether the ends of two names are equal if `_` is treated like `-`.
    @inline(always)
    private static func mayBeTwins(
        _ left: (first: UInt64, last: UInt64),
        _ right: (first: UInt64, last: UInt64)
    ) -> Bool {
        // `ends(of:from:to:)` turns `_` into 0x7F.
        let others = ~UInt64(0x5252_5252_5252_5252)
        return ((left.first ^ right.first) | (left.last ^ right.last)) & others == 0
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        ASCII.isDigit(byte) || byte == ASCII.hyphen || 0x61...0x7A ~= byte
    }

    private enum Likeness {
        case same
        case twin
        case different
    }

    private func compare(_ bytes: Span<UInt8>, from start: Int, with entry: Entry) -> Likeness {
        var likeness = Likeness.same
        for offset in 0..<entry.nameCount {
            let byte = bytes[start + offset]
            let expected = self.names[entry.nameStart + offset]
            guard byte != expected, ASCII.lowercased(byte) != expected else { continue }
            guard byte == ASCII.underscore, expected == ASCII.hyphen else { return .different }
            likeness = .twin
        }
        return likeness
    }

    private static func bucket(length: Int, first: UInt8) -> Int {
        (length &* 31 &+ Int(first)) & 0xFF
    }
}
