extension RequestHead {
    /// Writes the request line with the target in origin form (RFC 9112 section 3.2.1).
    package func writeRequestLine(_ bytes: Span<UInt8>, into out: inout OutputRawSpan) {
        out.write(bytes, from: self.methodStart, to: self.methodEnd)
        out.writeStaticString(" ")
        self.writeOriginForm(bytes, into: &out)
        out.writeStaticString(" HTTP/1.1\r\n")
    }

    /// Writes the target in origin form, or `*`.
    package func writeOriginForm(_ bytes: Span<UInt8>, into out: inout OutputRawSpan) {
        if self.lacksSlash(in: bytes) { out.writeStaticString("/") }
        out.write(bytes, from: self.target.start, to: self.target.end)
    }

    /// Returns the number of bytes of the target in origin form.
    package func originFormCount(in bytes: Span<UInt8>) -> Int {
        self.target.end - self.target.start + (self.lacksSlash(in: bytes) ? 1 : 0)
    }

    /// Returns whether the target is in absolute form and has no path.
    private func lacksSlash(in bytes: Span<UInt8>) -> Bool {
        self.target.start == self.target.end
            || (self.target.isAbsolute && bytes[self.target.start] != ASCII.slash)
    }

    /// Returns the value of the first field line with this lower-case name, or `nil` if there is none.
    ///
    /// This is for rarely needed fields; frequently needed fields have a role.
    package func value(of name: StaticString, in bytes: Span<UInt8>) -> String? {
        for line in self.fields.lines
        where bytes.matches(name, from: line.start, to: line.nameEnd) {
            return bytes.text(from: line.valueStart, to: line.valueEnd)
        }
        return nil
    }

    /// Returns the entity tags in a list field, without their `W/` prefix and quotes; `*` is
    /// returned unchanged.
    ///
    /// See RFC 9110 sections 8.8.3 and 13.1.2.
    package func entityTags(of name: StaticString, in bytes: Span<UInt8>) -> [String] {
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
