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

    /// Parses a field value, with multiple lines joined by commas; `nil` if any part is invalid, as
    /// section 4.2 requires.
    init?(_ text: String) {
        var reader = Reader(bytes: Array(text.utf8))
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
    /// The text of a String or a Display String.
    var text: String? {
        switch self {
        case .string(let text), .displayString(let text): text
        case .integer, .decimal, .token, .bytes, .boolean, .date: nil
        }
    }

    /// The value of a non-negative Integer, in seconds.
    var seconds: TimeInterval? {
        guard case .integer(let seconds) = self, seconds >= 0 else { return nil }
        return TimeInterval(seconds)
    }

    /// The time of a Date, or of a String in the gate's format.
    var date: Date? {
        guard case .date(let seconds) = self else {
            return self.text.flatMap { Date(gateTime: $0) }
        }
        return Date(timeIntervalSince1970: TimeInterval(seconds))
    }
}

/// The parsing algorithms of section 4.2, working on bytes.
private struct Reader {
    typealias BareItem = StructuredField.BareItem
    typealias Item = StructuredField.Item

    let bytes: [UInt8]
    var place = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var next: UInt8? { self.place < self.bytes.count ? self.bytes[self.place] : nil }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard self.next == byte else { return false }
        self.place += 1
        return true
    }

    private mutating func skipSpaces(andTabs: Bool = false) {
        while let byte = self.next, byte == 0x20 || andTabs && byte == 0x09 { self.place += 1 }
    }

    /// Consumes and returns the next bytes, up to the first one that is not accepted.
    private mutating func run(while isAccepted: (UInt8) -> Bool) -> String {
        let start = self.place
        while let byte = self.next, isAccepted(byte) { self.place += 1 }
        return String(decoding: self.bytes[start..<self.place], as: UTF8.self)
    }

    /// Section 4.2.1, with the whitespace handling of 4.2.
    mutating func list() -> [StructuredField.Member]? {
        var members: [StructuredField.Member] = []
        self.skipSpaces()
        guard self.next != nil else { return members }
        while true {
            guard let member = self.member() else { return nil }
            members.append(member)
            self.skipSpaces(andTabs: true)
            guard self.next != nil else { return members }
            guard self.skip(UInt8(ascii: ",")) else { return nil }
            self.skipSpaces(andTabs: true)
            guard self.next != nil else { return nil }
        }
    }

    private mutating func member() -> StructuredField.Member? {
        guard self.next == UInt8(ascii: "(") else { return self.item().map { .item($0) } }
        return self.innerList()
    }

    /// Section 4.2.1.2.
    private mutating func innerList() -> StructuredField.Member? {
        self.place += 1
        var items: [Item] = []
        while true {
            self.skipSpaces()
            if self.skip(UInt8(ascii: ")")) {
                return self.parameters().map { .inner(items, parameters: $0) }
            }
            guard let item = self.item() else { return nil }
            items.append(item)
            guard self.next == 0x20 || self.next == UInt8(ascii: ")") else { return nil }
        }
    }

    /// Section 4.2.3.
    private mutating func item() -> Item? {
        guard let value = self.bareItem(), let parameters = self.parameters() else { return nil }
        return Item(value: value, parameters: parameters)
    }

    /// Section 4.2.3.2.
    private mutating func parameters() -> [String: BareItem]? {
        var parameters: [String: BareItem] = [:]
        while self.skip(UInt8(ascii: ";")) {
            self.skipSpaces()
            guard let first = self.next, Self.isLower(first) || first == UInt8(ascii: "*")
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

    /// Section 4.2.3.1.
    private mutating func bareItem() -> BareItem? {
        switch self.next {
        case nil: return nil
        case UInt8(ascii: "\"")?: return self.string()
        case UInt8(ascii: ":")?: return self.byteSequence()
        case UInt8(ascii: "?")?: return self.boolean()
        case UInt8(ascii: "@")?: return self.date()
        case UInt8(ascii: "%")?: return self.displayString()
        case let byte? where byte == UInt8(ascii: "-") || Self.isDigit(byte): return self.number()
        case let byte? where Self.isLetter(byte) || byte == UInt8(ascii: "*"): return self.token()
        case .some: return nil
        }
    }

    /// Section 4.2.4.
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

    /// Section 4.2.5.
    private mutating func string() -> BareItem? {
        self.place += 1
        var text: [UInt8] = []
        while let byte = self.next {
            self.place += 1
            switch byte {
            case UInt8(ascii: "\""):
                return .string(String(decoding: text, as: UTF8.self))
            case UInt8(ascii: "\\"):
                guard let escaped = self.next, [0x22, 0x5C].contains(escaped) else { return nil }
                text.append(escaped)
                self.place += 1
            case 0x20...0x7E:
                text.append(byte)
            default:
                return nil
            }
        }
        return nil
    }

    /// Section 4.2.6.
    private mutating func token() -> BareItem? {
        let others = Set("!#$%&'*+-.^_`|~:/".utf8)
        return .token(
            self.run { Self.isLetter($0) || Self.isDigit($0) || others.contains($0) }
        )
    }

    /// Section 4.2.7.
    private mutating func byteSequence() -> BareItem? {
        self.place += 1
        let others = Set("+/=".utf8)
        let text = self.run { Self.isLetter($0) || Self.isDigit($0) || others.contains($0) }
        guard self.skip(UInt8(ascii: ":")) else { return nil }
        let missing = (4 - text.utf8.count % 4) % 4
        let padded = text + String(repeating: "=", count: missing)
        return Data(base64Encoded: padded).map { .bytes($0) }
    }

    /// Section 4.2.8.
    private mutating func boolean() -> BareItem? {
        self.place += 1
        if self.skip(UInt8(ascii: "1")) { return .boolean(true) }
        return self.skip(UInt8(ascii: "0")) ? .boolean(false) : nil
    }

    /// Section 4.2.9.
    private mutating func date() -> BareItem? {
        self.place += 1
        guard case .integer(let seconds)? = self.number() else { return nil }
        return .date(seconds)
    }

    /// Section 4.2.10.
    private mutating func displayString() -> BareItem? {
        self.place += 1
        guard self.skip(UInt8(ascii: "\"")) else { return nil }
        var text: [UInt8] = []
        while let byte = self.next {
            self.place += 1
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
        guard let byte = self.next else { return nil }
        self.place += 1
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): return byte - UInt8(ascii: "a") + 10
        default: return nil
        }
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
