/// A strict JSON parser (RFC 8259); truncated JSON is an error.
///
/// Numbers are kept as strings, so that `1.10` differs from 1.1. A duplicate member name is an
/// error, because parsers disagree on which member applies.
package struct JSONParser {
    /// The maximum nesting depth of objects and lists.
    static let maximumDepth = 64

    /// The maximum number of values in a document.
    static let maximumValues = 100_000

    /// A syntax error with its location.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        package let line: Int
        package let column: Int
        let message: String

        package var description: String {
            "invalid JSON: \(self.message) (line \(self.line), column \(self.column))"
        }
    }

    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    /// The index of the start of the current line.
    private var lineStart = 0
    private var values = 0

    /// Parses a single value, surrounded by optional whitespace.
    package static func parse(_ bytes: [UInt8]) throws(Failure) -> JSONValue {
        var parser = JSONParser(bytes: bytes)
        if parser.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.index = 3 }
        parser.skipBlanks()
        let value = try parser.value(depth: 0)
        parser.skipBlanks()
        guard parser.index == bytes.count else {
            throw parser.error("unexpected text after the value")
        }
        return value
    }

    private mutating func value(depth: Int) throws(Failure) -> JSONValue {
        guard depth < Self.maximumDepth else { throw self.error("nested too deeply") }
        self.values += 1
        guard self.values <= Self.maximumValues else {
            throw self.error("more than \(Self.maximumValues) values")
        }
        switch self.current {
        case UInt8(ascii: "{"): return .object(try self.members(depth: depth))
        case UInt8(ascii: "["): return .list(try self.items(depth: depth))
        case UInt8(ascii: "\""): return .text(try self.string())
        case UInt8(ascii: "t"): return try self.word("true", .boolean(true))
        case UInt8(ascii: "f"): return try self.word("false", .boolean(false))
        case UInt8(ascii: "n"): return try self.word("null", .null)
        case nil: throw self.error("unexpected end")
        case _?: return .number(try self.number())
        }
    }

    private mutating func members(depth: Int) throws(Failure) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        var names: Set<String> = []
        self.index += 1
        self.skipBlanks()
        if self.take(UInt8(ascii: "}")) { return [] }
        while true {
            guard self.current == UInt8(ascii: "\"") else { throw self.error("expected a name") }
            let name = try self.string()
            guard names.insert(name).inserted else {
                throw self.error("duplicate name '\(name)'")
            }
            self.skipBlanks()
            guard self.take(UInt8(ascii: ":")) else { throw self.error("expected ':'") }
            self.skipBlanks()
            members.append(JSONValue.Member(name, try self.value(depth: depth + 1)))
            guard try self.goesOn(until: UInt8(ascii: "}")) else { return members }
        }
    }

    private mutating func items(depth: Int) throws(Failure) -> [JSONValue] {
        var items: [JSONValue] = []
        self.index += 1
        self.skipBlanks()
        if self.take(UInt8(ascii: "]")) { return [] }
        while true {
            items.append(try self.value(depth: depth + 1))
            guard try self.goesOn(until: UInt8(ascii: "]")) else { return items }
        }
    }

    /// Consumes a comma or the closing bracket; returns whether another element follows.
    private mutating func goesOn(until end: UInt8) throws(Failure) -> Bool {
        self.skipBlanks()
        if self.take(end) { return false }
        guard self.take(UInt8(ascii: ",")) else {
            throw self.error(
                self.current == nil
                    ? "unexpected end"
                    : "expected ',' or '\(Character(Unicode.Scalar(end)))'"
            )
        }
        self.skipBlanks()
        return true
    }

    private mutating func word(
        _ word: StaticString,
        _ value: JSONValue
    ) throws(Failure) -> JSONValue {
        for byte in word.description.utf8 {
            guard self.take(byte) else { throw self.error("expected a value") }
        }
        return value
    }

    private mutating func number() throws(Failure) -> String {
        let start = self.index
        guard self.skipNumber(), !self.isWithinNumber else {
            self.index = start
            throw self.error("expected a value")
        }
        return String(decoding: self.bytes[start..<self.index], as: UTF8.self)
    }

    /// Skips a number (RFC 8259 section 6); returns `false` if there is none.
    private mutating func skipNumber() -> Bool {
        _ = self.take(UInt8(ascii: "-"))
        // JSON numbers have no leading zeros.
        guard self.take(UInt8(ascii: "0")) || self.skipDigits() else { return false }
        if self.take(UInt8(ascii: ".")), !self.skipDigits() { return false }
        guard self.take(UInt8(ascii: "e")) || self.take(UInt8(ascii: "E")) else { return true }
        _ = self.take(UInt8(ascii: "+")) || self.take(UInt8(ascii: "-"))
        return self.skipDigits()
    }

    /// Skips digits; returns `false` if there are none.
    private mutating func skipDigits() -> Bool {
        let start = self.index
        while let byte = self.current, (0x30...0x39).contains(byte) { self.index += 1 }
        return self.index > start
    }

    /// Whether the next character would continue a number.
    private var isWithinNumber: Bool {
        guard let byte = self.current else { return false }
        return (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
    }

    private mutating func string() throws(Failure) -> String {
        var content: [UInt8] = []
        self.index += 1
        while let byte = self.current {
            self.index += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw self.error("a string is not valid UTF-8")
                }
                return text
            case UInt8(ascii: "\\"): content += try self.escaped()
            case 0..<0x20: throw self.error("a string contains a control character")
            default: content.append(byte)
            }
        }
        throw self.error("unexpected end")
    }

    private mutating func escaped() throws(Failure) -> [UInt8] {
        defer { self.index += 1 }
        switch self.current {
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "\\"): return [0x5C]
        case UInt8(ascii: "\""): return [0x22]
        case UInt8(ascii: "/"): return [0x2F]
        case UInt8(ascii: "u"): return try self.scalar()
        case nil, _?: throw self.error("invalid escape sequence")
        }
    }

    /// Parses the four digits after `\u`, and the second half of a surrogate pair.
    private mutating func scalar() throws(Failure) -> [UInt8] {
        let unit = try self.unit()
        guard UTF16.isLeadSurrogate(unit) || UTF16.isTrailSurrogate(unit) else {
            return Array(String(decoding: [unit], as: UTF16.self).utf8)
        }
        // The second half of the pair follows the last digit.
        guard self.bytes[(self.index + 1)...].starts(with: Array("\\u".utf8)) else {
            throw self.error("unpaired surrogate")
        }
        self.index += 2
        let second = try self.unit()
        guard UTF16.isLeadSurrogate(unit), UTF16.isTrailSurrogate(second) else {
            throw self.error("unpaired surrogate")
        }
        return Array(String(decoding: [unit, second], as: UTF16.self).utf8)
    }

    /// Parses the four digits after the current byte, and stops at the last digit.
    private mutating func unit() throws(Failure) -> UInt16 {
        let digits = self.bytes[(self.index + 1)...].prefix(4)
        let text = String(decoding: digits, as: UTF8.self)
        guard digits.count == 4, text.allSatisfy(\.isHexDigit), let unit = UInt16(text, radix: 16)
        else { throw self.error("invalid escape sequence") }
        self.index += 4
        return unit
    }

    private var current: UInt8? {
        self.index < self.bytes.count ? self.bytes[self.index] : nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard self.current == byte else { return false }
        self.index += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = self.current {
            switch byte {
            case 0x20, 0x09, 0x0D: self.index += 1
            case 0x0A:
                self.index += 1
                self.line += 1
                self.lineStart = self.index
            default: return
            }
        }
    }

    private func error(_ message: String) -> Failure {
        // Counts characters: all bytes of a UTF-8 character but the first start with the bits 10.
        let before = self.bytes[self.lineStart..<min(self.index, self.bytes.count)]
        let column = before.count { $0 & 0xC0 != 0x80 } + 1
        return Failure(line: self.line, column: column, message: message)
    }
}
