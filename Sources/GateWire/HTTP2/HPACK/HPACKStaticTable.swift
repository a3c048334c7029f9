/// The static table (RFC 7541 Appendix A).
package enum HPACKStaticTable {
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

    /// The fields as lines.
    static let bytes = Self.fields.flatMap { Array("\($0.name): \($0.value)\r\n".utf8) }

    private static let entries: [HPACKEntry] = {
        var start = 0
        return Self.fields.map { field in
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
    }()

    static let count = 61
    private static let firstField = 14

    /// Appends the field with this zero-based index to a list, unless this would make the list too
    /// large.
    static func append(
        _ index: Int,
        to list: inout HeaderList,
        limit: Int,
        names: FieldNameTable
    ) {
        var entry = self.entries[index]
        let bytes = self.bytes.span
        // The first fields are pseudo-header fields, which have no role.
        if index >= self.firstField {
            entry.role =
                names.role(in: bytes, from: entry.start, to: entry.start + entry.nameCount)
        }
        list.append(entry, in: bytes, limit: limit)
    }

    /// Returns the name of the field with this zero-based index, as a position in `bytes`.
    static func name(_ index: Int) -> HPACKString { self.entries[index].name }
}
