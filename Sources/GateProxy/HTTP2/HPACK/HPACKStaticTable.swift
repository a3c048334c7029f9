/// The fields that both sides know by their numbers (RFC 7541 Appendix A).
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

    private static let lines: [(line: [UInt8], nameCount: Int)] = Self.fields.map {
        (Array("\($0.name): \($0.value)\r\n".utf8), $0.name.utf8.count)
    }

    static let count = 61

    /// The bytes of the name and value of a field by its number from zero.
    static func fieldCount(of index: Int) -> Int {
        self.lines[index].line.count - HeaderList.lineOverhead
    }

    /// Appends a field by its number from zero.
    static func append(_ index: Int, to list: inout HeaderList) {
        let (line, nameCount) = self.lines[index]
        list.append(line: line.span, nameCount: nameCount, isWellFormed: true)
    }

    static func appendName(_ index: Int, to list: inout HeaderList) {
        let (line, nameCount) = self.lines[index]
        list.append(line.span, from: 0, to: nameCount)
    }
}
