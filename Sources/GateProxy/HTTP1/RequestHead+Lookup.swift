extension RequestHead {
    /// The value of the first field line of this lower-case name; `nil` if there is none.
    ///
    /// For fields that few requests are looked at for; the others have a role.
    func value(of name: StaticString, in bytes: Span<UInt8>) -> String? {
        for line in self.fields.lines
        where bytes.matches(name, from: line.start, to: line.nameEnd) {
            return bytes.text(from: line.valueStart, to: line.valueEnd)
        }
        return nil
    }

    /// The opaque tags of a list of entity tags, weak ones among them, or `*` (RFC 9110 sections
    /// 8.8.3 and 13.1.2).
    func entityTags(of name: StaticString, in bytes: Span<UInt8>) -> [String] {
        var tags: [String] = []
        for line in self.fields.lines
        where bytes.matches(name, from: line.start, to: line.nameEnd) {
            bytes.forEachListMember(from: line.valueStart, to: line.valueEnd) { start, end in
                var tag = Substring(bytes.text(from: start, to: end))
                if tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
                if tag.count > 1, tag.hasPrefix("\""), tag.hasSuffix("\"") {
                    tag = tag.dropFirst().dropLast()
                }
                tags.append(String(tag))
                return true
            }
        }
        return tags
    }
}
