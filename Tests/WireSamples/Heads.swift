package import GateWire

/// A header field as text.
package struct TextField: Equatable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// Returns the lines with line ends, followed by an empty line.
package func wire(_ lines: String...) -> String {
    wire(lines)
}

package func wire(_ lines: [String]) -> String {
    lines.map { "\($0)\r\n" }.joined() + "\r\n"
}

extension [UInt8] {
    package func text(from start: Int, to end: Int) -> String {
        String(decoding: self[start..<end], as: UTF8.self)
    }

    package func fields(_ section: FieldSection) -> [TextField] {
        section.lines.map { line in
            TextField(
                name: self.text(from: line.start, to: line.nameEnd),
                value: self.text(from: line.valueStart, to: line.valueEnd)
            )
        }
    }
}

/// A parsed request head and its bytes.
package struct RequestSample {
    package static let identityNames = ["x-app-platform", "x-app-version"]
    package static let table = FieldNameTable.request(identityHeaderNames: Self.identityNames)

    package let bytes: [UInt8]
    package let head: RequestHead

    package init(_ text: String) throws {
        var parser = RequestHeadParser()
        self.bytes = Array(text.utf8)
        let progress = parser.parse(self.bytes, table: Self.table)
        guard progress == .complete else { throw Unreadable(progress: progress) }
        self.head = parser.head
    }

    package struct Unreadable: Error {
        package let progress: RequestHeadParser.Progress

        package init(progress: RequestHeadParser.Progress) {
            self.progress = progress
        }
    }

    package func facts() throws(MessageFault) -> RequestFacts {
        let bytes = self.bytes
        return try RequestFacts(self.head, in: bytes.span)
    }

    package var method: String {
        self.bytes.text(from: self.head.methodStart, to: self.head.methodEnd)
    }
    package var target: String {
        self.bytes.text(from: self.head.target.start, to: self.head.target.end)
    }
    package var authority: String {
        self.bytes.text(from: self.head.target.authorityStart, to: self.head.target.authorityEnd)
    }
    package var fields: [TextField] { self.bytes.fields(self.head.fields) }
}

/// A parsed response head and its bytes.
package struct ResponseSample {
    package let bytes: [UInt8]
    package let head: ResponseHead

    package init(_ text: String) throws {
        var parser = ResponseHeadParser()
        self.bytes = Array(text.utf8)
        let progress = parser.parse(self.bytes)
        guard progress == .complete else { throw RequestSample.Unreadable(progress: progress) }
        self.head = parser.head
    }

    package func facts(answersHead: Bool = false) throws(MessageFault) -> ResponseFacts {
        let bytes = self.bytes
        return try ResponseFacts(self.head, in: bytes.span, answersHead: answersHead)
    }

    package var fields: [TextField] { self.bytes.fields(self.head.fields) }
}

extension RequestHeadParser {
    package mutating func parse(_ bytes: [UInt8], table: FieldNameTable) -> Progress {
        self.parse(bytes.span, table: table)
    }

    /// Parses the bytes up to each end, and returns the first result that is final.
    package mutating func parse(_ bytes: [UInt8], endingAt ends: some Sequence<Int>) -> Progress {
        for end in ends {
            let progress = self.parse(Array(bytes[..<end]), table: RequestSample.table)
            if progress != .incomplete { return progress }
        }
        return .incomplete
    }
}

extension ResponseHeadParser {
    package mutating func parse(_ bytes: [UInt8]) -> Progress {
        self.parse(bytes.span)
    }

    package mutating func parse(_ bytes: [UInt8], endingAt ends: some Sequence<Int>) -> Progress {
        for end in ends {
            let progress = self.parse(Array(bytes[..<end]))
            if progress != .incomplete { return progress }
        }
        return .incomplete
    }
}

extension HeaderList {
    /// Creates the list from a header block in which each field is a literal (RFC 7541 section 6.2.2).
    package init(_ fields: [(String, String)], names: FieldNameTable = .response) throws {
        var block: [UInt8] = []
        for (name, value) in fields {
            block += [0, UInt8(name.utf8.count)] + Array(name.utf8)
            block += [UInt8(value.utf8.count)] + Array(value.utf8)
        }
        self.init()
        var decoder = HPACKDecoder(names: names)
        try decoder.decode(block.span, into: &self, limit: 4096)
    }
}
