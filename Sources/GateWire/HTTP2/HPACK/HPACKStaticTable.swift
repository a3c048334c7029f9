/// The static table (RFC 7541 Appendix A).
package struct HPACKStaticTable: Sendable {
    package static let fields: [(name: String, value: String)] = [
        (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"),
        (":path", "/index.html"), (":scheme", "http"), (":scheme", "https"), (":status", "200"),
        (":status", "204"), (":status", "206"), (":status", "304"), (":status", "400"),
        (":status", "404"), (":status", "500"), ("accept-charset", ""),
        ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""),
        ("accept", ""), ("access-control-allow-origin", ""), ("age", ""), ("allow", ""),
        ("authorization", ""), ("cache-control", ""), ("content-disposition", ""),
        ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
        ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""),
        ("date", ""), ("etag", ""), ("expect", ""), ("expires", ""), ("from", ""), ("host", ""),
        ("if-match", ""), ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""),
        ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""), ("location", ""),
        ("max-forwards", ""), ("proxy-authenticate", ""), ("proxy-authorization", ""),
        ("range", ""), ("referer", ""), ("refresh", ""), ("retry-after", ""), ("server", ""),
        ("set-cookie", ""), ("strict-transport-security", ""), ("transfer-encoding", ""),
        ("user-agent", ""), ("vary", ""), ("via", ""), ("www-authenticate", ""),
    ]

    static let count = 61
    /// The zero-based index of the first field that is not a pseudo-header field.
    private static let firstField = 14

    static let shared = HPACKStaticTable()

    /// The fields as lines.
    let bytes: [UInt8]
    /// The positions of the fields in `bytes`, without roles.
    private let entries: [HPACKEntry]

    private init() {
        var start = 0
        self.bytes = Self.fields.flatMap { Array("\($0.name): \($0.value)\r\n".utf8) }
        self.entries = Self.fields.map { field in
            let entry = HPACKEntry(
                start: start,
                nameCount: field.name.utf8.count,
                lineCount: field.name.utf8.count + field.value.utf8.count + HeaderList.lineOverhead,
                isWellFormed: true,
                role: .other
            )
            start += entry.lineCount
            return entry
        }
    }

    /// Returns the field with this zero-based index; `names` determines the role of the field.
    @inline(__always)
    func entry(_ index: Int, names: FieldNameTable) -> HPACKEntry {
        var entry = self.entries[index]
        // Pseudo-header fields have no role.
        if index >= Self.firstField {
            let nameEnd = entry.start + entry.nameCount
            entry.role = names.role(in: self.bytes.span, from: entry.start, to: nameEnd)
        }
        return entry
    }
}
