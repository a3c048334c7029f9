internal import GatePolicy
internal import GateRules

/// The query of a request in form encoding, such as `since=7d&rule=ios`.
struct AdminQuery: Sendable, Equatable {
    struct Item: Sendable, Equatable {
        let name: String
        let value: String
    }

    let items: [Item]

    /// Parses the part of a request target after the question mark.
    init(_ target: String) {
        let query = target.drop { $0 != "?" }.dropFirst()
        self.items = query.split(separator: "&").map { pair in
            let name = pair.prefix { $0 != "=" }
            let value = pair.dropFirst(name.count + 1)
            return Item(name: Self.decoded(name), value: Self.decoded(value))
        }
    }

    private static func decoded(_ text: Substring) -> String {
        let spaced = text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return String(decoding: PercentEncoding.decodedBytes(spaced), as: UTF8.self)
    }

    /// Returns the first value of a parameter.
    subscript(name: String) -> String? { self.items.first { $0.name == name }?.value }

    /// Returns `now` minus the span in the parameter `since`.
    func since(before now: Timestamp, usually span: String) throws(AdminAnswer) -> Timestamp {
        let span = try self.parsed("since", self["since"] ?? span, by: TimeSpan.init(parsing:))
        return now.advanced(by: -span.seconds)
    }

    func time(_ name: String) throws(AdminAnswer) -> Timestamp? {
        guard let text = self[name] else { return nil }
        return try self.parsed(name, text, by: Timestamp.init(parsing:))
    }

    func number(_ name: String, in range: ClosedRange<Int64>) throws(AdminAnswer) -> Int64? {
        guard let text = self[name] else { return nil }
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int64(text),
            range.contains(number)
        else {
            let (first, last) = (range.lowerBound, range.upperBound)
            throw .invalid(name, "expected a whole number from \(first) to \(last)")
        }
        return number
    }

    /// Returns the parsed value of a parameter; an error names the parameter.
    func parsed<Value>(
        _ name: String,
        _ text: String,
        by parse: (String) throws -> Value
    ) throws(AdminAnswer) -> Value {
        do {
            return try parse(text)
        } catch {
            throw .invalid(name, "\(error)")
        }
    }
}
