import Foundation

/// A structured field of the type List (RFC 9651 section 3.1), such as `X-VersionGate`.
struct StructuredField: Equatable {
    /// A bare item (section 3.3).
    enum BareItem: Equatable {
        case integer(Int64)
        case decimal(Double)
        case string(String)
        case token(String)
        case bytes(Data)
        case boolean(Bool)
        /// A date, in seconds of Unix time.
        case date(Int64)
        case displayString(String)
    }

    /// An item with its parameters.
    struct Item: Equatable {
        var value: BareItem
        var parameters: [String: BareItem]
    }

    /// A member of the list: an item or an inner list.
    enum Member: Equatable {
        case item(Item)
        case inner([Item], parameters: [String: BareItem])
    }

    let members: [Member]

    /// Parses a field value, with multiple lines joined by commas; returns `nil` if any part is
    /// invalid, as section 4.2 requires.
    init?(_ text: String) {
        var reader = Reader(rest: Array(text.utf8)[...])
        guard let members = reader.list() else { return nil }
        self.members = members
    }

    /// The items of the type Token, with their parameters.
    var tokens: [(token: String, parameters: [String: BareItem])] {
        self.members.compactMap { member in
            guard case .item(let item) = member, case .token(let token) = item.value
            else { return nil }
            return (token, item.parameters)
        }
    }
}

extension StructuredField.BareItem {
    /// The value of a String or a Display String; `nil` for other types.
    var text: String? {
        switch self {
        case .string(let text), .displayString(let text): text
        case .integer, .decimal, .token, .bytes, .boolean, .date: nil
        }
    }

    /// The value of a non-negative Integer, in seconds; `nil` for other items.
    var seconds: TimeInterval? {
        guard case .integer(let seconds) = self, seconds >= 0 else { return nil }
        return TimeInterval(seconds)
    }

    /// The time of a Date, or of a String in the gate's format: RFC 3339, in UTC, without fractions of a second.
    var date: Date? {
        guard case .date(let seconds) = self else {
            return self.text.flatMap { try? Date($0, strategy: .iso8601) }
        }
        return Date(timeIntervalSince1970: TimeInterval(seconds))
    }
}

/// The parsing algorithms of section 4.2, working on bytes.
private struct Reader {
    typealias BareItem = StructuredField.BareItem
    typealias Item = StructuredField.Item

    /// The bytes that have not been parsed.
    var rest: ArraySlice<UInt8>

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard self.rest.first == byte else { return false }
        self.rest.removeFirst()
        return true
    }

    private mutating func skipSpaces(andTabs: Bool = false) {
        self.rest = self.rest.drop { $0 == 0x20 || andTabs && $0 == 0x09 }
    }

    /// Consumes and returns the next bytes, up to the first byte that is not accepted.
    private mutating func run(while isAccepted: (UInt8) -> Bool) -> String {
        let accepted = self.rest.prefix(while: isAccepted)
        self.rest = self.rest[accepted.endIndex...]
        return String(decoding: accepted, as: UTF8.self)
    }

    /// Parses a List (section 4.2.1), with the whitespace handling of section 4.2.
    mutating func list() -> [StructuredField.Member]? {
        var members: [StructuredField.Member] = []
        self.skipSpaces()
        guard !self.rest.isEmpty else { return members }
        while true {
            guard let member = self.member() else { return nil }
            members.append(member)
            self.skipSpaces(andTabs: true)
            guard !self.rest.isEmpty else { return members }
            guard self.skip(UInt8(ascii: ",")) else { return nil }
            self.skipSpaces(andTabs: true)
            guard !self.rest.isEmpty else { return nil }
        }
    }

    private mutating func member() -> StructuredField.Member? {
        self.skip(UInt8(ascii: "(")) ? self.innerList() : self.item().map { .item($0) }
    }

    /// Parses an Inner List (section 4.2.1.2).
    private mutating func innerList() -> StructuredField.Member? {
        var items: [Item] = []
        while true {
            self.skipSpaces()
            if self.skip(UInt8(ascii: ")")) {
                return self.parameters().map { .inner(items, parameters: $0) }
            }
            guard let item = self.item() else { return nil }
            items.append(item)
            guard [0x20, UInt8(ascii: ")")].contains(self.rest.first) else { return nil }
        }
    }

    /// Parses an Item (section 4.2.3).
    private mutating func item() -> Item? {
        guard let value = self.bareItem(), let parameters = self.parameters() else { return nil }
        return Item(value: value, parameters: parameters)
    }

    /// Parses Parameters (section 4.2.3.2).
    private mutating func parameters() -> [String: BareItem]? {
        var parameters: [String: BareItem] = [:]
        while self.skip(UInt8(ascii: ";")) {
            self.skipSpaces()
            guard let first = self.rest.first, Self.isLower(first) || first == UInt8(ascii: "*")
            else { return nil }
            let key = self.run { byte in
                Self.isLower(byte) || Self.isDigit(byte)
                    || [UInt8(ascii: "_"), UInt8(ascii: "-"), 0x2E, 0x2A].contains(byte)
            }
            guard self.skip(UInt8(ascii: "=")) else {
                parameters[key] = .boolean(true)
                continue
            }
            guard let value = self.bareItem() else { return nil }
            parameters[key] = value
        }
        return parameters
    }

    /// Parses a bare item (section 4.2.3.1).
    private mutating func bareItem() -> BareItem? {
        if self.skip(UInt8(ascii: "\"")) { return self.string() }
        if self.skip(UInt8(ascii: ":")) { return self.byteSequence() }
        if self.skip(UInt8(ascii: "?")) { return self.boolean() }
        if self.skip(UInt8(ascii: "@")) { return self.date() }
        if self.skip(UInt8(ascii: "%")) { return self.displayString() }
        guard let first = self.rest.first else { return nil }
        if first == UInt8(ascii: "-") || Self.isDigit(first) { return self.number() }
        return first == UInt8(ascii: "*") || Self.isLetter(first) ? self.token() : nil
    }

    /// Parses an Integer or a Decimal (section 4.2.4).
    private mutating func number() -> BareItem? {
        let sign: Int64 = self.skip(UInt8(ascii: "-")) ? -1 : 1
        let whole = self.run(while: Self.isDigit)
        guard !whole.isEmpty, whole.utf8.count <= 15 else { return nil }
        guard self.skip(UInt8(ascii: ".")) else {
            return Int64(whole).map { .integer(sign * $0) }
        }
        let fraction = self.run(while: Self.isDigit)
        guard whole.utf8.count <= 12, (1...3).contains(fraction.utf8.count) else { return nil }
        return Double("\(whole).\(fraction)").map { .decimal(Double(sign) * $0) }
    }

    /// Parses a String (section 4.2.5).
    private mutating func string() -> BareItem? {
        var text: [UInt8] = []
        while let byte = self.rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                return .string(String(decoding: text, as: UTF8.self))
            case UInt8(ascii: "\\"):
                guard let escaped = self.rest.popFirst(), [0x22, 0x5C].contains(escaped)
                else { return nil }
                text.append(escaped)
            case 0x20...0x7E:
                text.append(byte)
            default:
                return nil
            }
        }
        return nil
    }

    /// Parses a Token (section 4.2.6).
    private mutating func token() -> BareItem? {
        let others = Set("!#$%&'*+-.^_`|~:/".utf8)
        return .token(
            self.run { Self.isLetter($0) || Self.isDigit($0) || others.contains($0) }
        )
    }

    /// Parses a Byte Sequence (section 4.2.7).
    private mutating func byteSequence() -> BareItem? {
        let others = Set("+/=".utf8)
        let text = self.run { Self.isLetter($0) || Self.isDigit($0) || others.contains($0) }
        guard self.skip(UInt8(ascii: ":")) else { return nil }
        let missing = (4 - text.utf8.count % 4) % 4
        let padded = text + String(repeating: "=", count: missing)
        return Data(base64Encoded: padded).map { .bytes($0) }
    }

    /// Parses a Boolean (section 4.2.8).
    private mutating func boolean() -> BareItem? {
        if self.skip(UInt8(ascii: "1")) { return .boolean(true) }
        return self.skip(UInt8(ascii: "0")) ? .boolean(false) : nil
    }

    /// Parses a Date (section 4.2.9).
    private mutating func date() -> BareItem? {
        guard case .integer(let seconds)? = self.number() else { return nil }
        return .date(seconds)
    }

    /// Parses a Display String (section 4.2.10).
    private mutating func displayString() -> BareItem? {
        guard self.skip(UInt8(ascii: "\"")) else { return nil }
        var text: [UInt8] = []
        while let byte = self.rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                return String(data: Data(text), encoding: .utf8).map { .displayString($0) }
            case UInt8(ascii: "%"):
                guard let high = self.hexDigit(), let low = self.hexDigit() else { return nil }
                text.append(high << 4 | low)
            case 0x20...0x7E:
                text.append(byte)
            default:
                return nil
            }
        }
        return nil
    }

    /// Parses a hex digit of a percent-encoded byte; letters must be lowercase.
    private mutating func hexDigit() -> UInt8? {
        guard let byte = self.rest.popFirst(), Self.isDigit(byte) || Self.isLower(byte)
        else { return nil }
        return UInt8(String(UnicodeScalar(byte)), radix: 16)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLower(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        self.isLower(byte | 0x20)
    }
}
