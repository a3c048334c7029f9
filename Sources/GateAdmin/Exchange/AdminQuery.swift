internal import GatePolicy
internal import GateRules

/// The query of a request in form encoding, such as `since=7d&rule=ios`.
struct AdminQuery: Sendable, Equatable {
    struct Item: Sendable, Equatable {
        let name: String
        let value: String
    }

    /// An error for an invalid parameter.
    struct Failure: Error {
        let name: String
        let reason: String
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
    func since(before now: Timestamp, usually span: String) throws(Failure) -> Timestamp {
        let text = self["since"] ?? span
        do throws(TimeSpan.Failure) {
            return now.advanced(by: -(try TimeSpan(parsing: text).seconds))
        } catch {
            throw Failure(name: "since", reason: "\(error)")
        }
    }

    func time(_ name: String) throws(Failure) -> Timestamp? {
        guard let text = self[name] else { return nil }
        do throws(TimestampError) {
            return try Timestamp(parsing: text)
        } catch {
            throw Failure(name: name, reason: "\(error)")
        }
    }

    func number(_ name: String, in range: ClosedRange<Int64>) throws(Failure) -> Int64? {
        guard let text = self[name] else { return nil }
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int64(text),
            range.contains(number)
        else {
            let reason = "expected a whole number from \(range.lowerBound) to \(range.upperBound)"
            throw Failure(name: name, reason: reason)
        }
        return number
    }
}
