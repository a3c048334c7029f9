/// A whole number of any size, parsed from ASCII digits.
///
/// Clients choose their versions, so a number that does not fit into an integer must neither trap
/// nor lose digits. Such rare numbers are kept as strings of digits.
enum DecimalNumber: Sendable, Hashable {
    /// A number of up to 19 digits, which always fits into an integer.
    case small(UInt64)
    /// The digits of a number of 20 digits or more, without leading zeros.
    case large(String)

    static let zero = DecimalNumber.small(0)

    /// The maximum number of digits that always fit into 64 bits.
    static let safeDigits = 19

    /// Parses digits; returns `nil` if there are none, or if any byte is not a digit.
    init?(digits: Span<UInt8>) {
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        var start = 0
        while start < digits.count, digits[start] == 0x30 { start += 1 }
        let significant = digits.extracting(start..<digits.count)
        guard significant.count <= Self.safeDigits else {
            self = .large(significant.text)
            return
        }
        var value: UInt64 = 0
        for index in significant.indices { value = value * 10 + UInt64(significant[index] - 0x30) }
        self = .small(value)
    }

    /// The number as an integer; `nil` if the number does not fit.
    var integer: UInt64? {
        switch self {
        case .small(let value): value
        case .large(let digits): UInt64(digits)
        }
    }
}

extension DecimalNumber: Comparable {
    static func < (left: DecimalNumber, right: DecimalNumber) -> Bool {
        switch (left, right) {
        case (.small(let left), .small(let right)):
            left < right
        case (.small, .large):
            true
        case (.large, .small):
            false
        case (.large(let left), .large(let right)):
            // Without leading zeros, the number with more digits is larger.
            left.utf8.count == right.utf8.count
                ? left < right : left.utf8.count < right.utf8.count
        }
    }
}

extension DecimalNumber: CustomStringConvertible {
    var description: String {
        switch self {
        case .small(let value): String(value)
        case .large(let digits): digits
        }
    }
}
