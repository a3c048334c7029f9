@testable import GateProxy

/// A header field as text.
struct TextField: Equatable {
    var name: String
    var value: String
}

/// Lines with their line ends, and the empty line behind them.
func wire(_ lines: String...) -> String {
    wire(lines)
}

func wire(_ lines: [String]) -> String {
    lines.map { "\($0)\r\n" }.joined() + "\r\n"
}

extension [UInt8] {
    func text(from start: Int, to end: Int) -> String {
        String(decoding: self[start..<end], as: UTF8.self)
    }

    func fields(_ section: FieldSection) -> [TextField] {
        section.lines.map { line in
            TextField(
                name: self.text(from: line.start, to: line.nameEnd),
                value: self.text(from: line.valueStart, to: line.valueEnd)
            )
        }
    }
}

/// A request head that was read, with the bytes in which it lies.
struct RequestSample {
    static let identityNames = ["x-app-platform", "x-app-version"]
    static let table = FieldNameTable.request(identityHeaderNames: Self.identityNames)

    let bytes: [UInt8]
    let head: RequestHead

    init(_ text: String) throws {
        var parser = RequestHeadParser()
        self.bytes = Array(text.utf8)
        let progress = parser.parse(self.bytes, table: Self.table)
        guard progress == .complete else { throw Unreadable(progress: progress) }
        self.head = parser.head
    }

    struct Unreadable: Error {
        let progress: RequestHeadParser.Progress
    }

    func facts() throws(MessageFault) -> RequestFacts {
        let bytes = self.bytes
        return try RequestFacts(self.head, in: bytes.span)
    }

    var method: String { self.bytes.text(from: self.head.methodStart, to: self.head.methodEnd) }
    var target: String { self.bytes.text(from: self.head.target.start, to: self.head.target.end) }
    var authority: String {
        self.bytes.text(from: self.head.target.authorityStart, to: self.head.target.authorityEnd)
    }
    var fields: [TextField] { self.bytes.fields(self.head.fields) }
}

/// A response head that was read, with the bytes in which it lies.
struct ResponseSample {
    let bytes: [UInt8]
    let head: ResponseHead

    init(_ text: String) throws {
        var parser = ResponseHeadParser()
        self.bytes = Array(text.utf8)
        let progress = parser.parse(self.bytes)
        guard progress == .complete else { throw RequestSample.Unreadable(progress: progress) }
        self.head = parser.head
    }

    func facts(answersHead: Bool = false) throws(MessageFault) -> ResponseFacts {
        let bytes = self.bytes
        return try ResponseFacts(self.head, in: bytes.span, answersHead: answersHead)
    }

    var fields: [TextField] { self.bytes.fields(self.head.fields) }
}

extension RequestHeadParser {
    mutating func parse(_ bytes: [UInt8], table: FieldNameTable) -> Progress {
        self.parse(bytes.span, table: table)
    }

    /// The progress after each longer beginning of the bytes, up to the first that is final.
    mutating func parse(_ bytes: [UInt8], endingAt ends: some Sequence<Int>) -> Progress {
        for end in ends {
            let progress = self.parse(Array(bytes[..<end]), table: RequestSample.table)
            if progress != .incomplete { return progress }
        }
        return .incomplete
    }
}

extension ResponseHeadParser {
    mutating func parse(_ bytes: [UInt8]) -> Progress {
        self.parse(bytes.span)
    }

    mutating func parse(_ bytes: [UInt8], endingAt ends: some Sequence<Int>) -> Progress {
        for end in ends {
            let progress = self.parse(Array(bytes[..<end]))
            if progress != .incomplete { return progress }
        }
        return .incomplete
    }
}

extension WorkerRules {
    /// The verdict on a request that is the first one of its connection.
    func verdict(onFirst text: String) throws -> Verdict {
        var parser = RequestHeadParser()
        var last: RememberedVerdict?
        return try self.verdict(on: text, parser: &parser, last: &last)
    }

    /// The verdict on the next request of a connection.
    func verdict(
        on text: String,
        parser: inout RequestHeadParser,
        last: inout RememberedVerdict?
    ) throws -> Verdict {
        let bytes = Array(text.utf8)
        parser.reset()
        let progress = parser.parse(bytes, table: self.table)
        guard progress == .complete else { throw RequestSample.Unreadable(progress: progress) }
        return self.verdict(
            on: parser.head,
            facts: try RequestFacts(parser.head, in: bytes.span),
            in: bytes.span,
            address: "192.0.2.1",
            last: &last
        )
    }
}
