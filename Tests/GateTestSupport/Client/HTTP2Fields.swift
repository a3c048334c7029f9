/// Header blocks in HPACK's simplest form: literal fields without indexing (RFC 7541 section 6.2.2).
package enum HTTP2Fields {
    package typealias Field = (name: String, value: String)

    package static func block(_ fields: [Field]) -> [UInt8] {
        fields.flatMap { [0] + self.string($0.name) + self.string($0.value) }
    }

    /// Returns the pseudo-header fields of a request, followed by other fields.
    package static func request(
        _ method: String = "GET",
        _ path: String = "/",
        authority: String = "gate",
        _ others: [Field] = []
    ) -> [UInt8] {
        self.block(
            [
                (":method", method), (":scheme", "http"), (":path", path),
                (":authority", authority),
            ] + others
        )
    }

    /// Decodes a block that the gate has written, with literal fields, whose names may be indexed, and a few indexed
    /// fields.
    package static func read(_ block: [UInt8]) throws -> FieldLines {
        var fields = FieldLines()
        var rest = block[...]
        while let first = rest.first {
            if first == 0x20 {
                rest.removeFirst()
            } else if first & 0x80 != 0 {
                rest.removeFirst()
                guard let field = self.wholeFields[first & 0x7F] else {
                    throw HarnessError("field \(first & 0x7F) is not expected")
                }
                fields.lines.append(.init(name: field.name, value: field.value))
            } else {
                let index = self.integer(&rest, prefix: 4)
                let name = index == 0 ? self.text(&rest) : self.names[index] ?? "field \(index)"
                fields.lines.append(.init(name: name, value: self.text(&rest)))
            }
        }
        return fields
    }

    /// The indexes that stand for a name and a value (RFC 7541, appendix A).
    private static let wholeFields: [UInt8: Field] = [
        2: (":method", "GET"), 3: (":method", "POST"), 6: (":scheme", "http"),
        7: (":scheme", "https"), 8: (":status", "200"), 9: (":status", "204"),
        10: (":status", "206"), 11: (":status", "304"), 12: (":status", "400"),
        13: (":status", "404"), 14: (":status", "500"),
    ]
    /// The indexes in the same table that stand for a name.
    private static let names: [Int: String] = [
        1: ":authority", 2: ":method", 4: ":path", 8: ":status", 15: "accept-charset",
        16: "accept-encoding", 17: "accept-language", 19: "accept",
        20: "access-control-allow-origin", 21: "age", 22: "allow", 23: "authorization",
        24: "cache-control", 26: "content-encoding", 27: "content-language",
        28: "content-length", 31: "content-type", 32: "cookie", 33: "date", 34: "etag",
        35: "expect", 38: "host", 44: "last-modified", 46: "location", 53: "retry-after",
        54: "server", 55: "set-cookie", 58: "user-agent", 59: "vary",
    ]

    private static func string(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return self.length(bytes.count) + bytes
    }

    private static func length(_ count: Int) -> [UInt8] {
        guard count >= 127 else { return [UInt8(count)] }
        var rest = count - 127
        var bytes: [UInt8] = [127]
        while rest >= 128 {
            bytes.append(UInt8(rest & 0x7F | 0x80))
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    private static func integer(_ rest: inout ArraySlice<UInt8>, prefix: Int) -> Int {
        let mask = (1 << prefix) - 1
        var value = Int(rest.removeFirst()) & mask
        guard value == mask else { return value }
        var shift = 0
        while let byte = rest.popFirst() {
            value += Int(byte & 0x7F) << shift
            shift += 7
            if byte & 0x80 == 0 { break }
        }
        return value
    }

    private static func text(_ rest: inout ArraySlice<UInt8>) -> String {
        let count = self.integer(&rest, prefix: 7)
        defer { rest = rest.dropFirst(count) }
        return String(decoding: rest.prefix(count), as: UTF8.self)
    }
}
