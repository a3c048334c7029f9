/// One identifier of a pre-release: `rc` and `1` in `2.0.0-rc.1`.
///
/// The order is the one of SemVer 2.0.0 section 11.4: numbers by value, before any text; text by
/// its ASCII bytes.
enum PrereleaseIdentifier: Sendable, Hashable {
    case number(DecimalNumber)
    case text(String)

    /// Reads ASCII letters, digits and hyphens; `nil` for anything else and for nothing.
    ///
    /// SemVer forbids leading zeros in numbers. They are accepted here, as in the parts of a
    /// version: nightly builds carry dates and times (`-20260701.0930`).
    init?(_ bytes: some Collection<UInt8>) {
        if let number = DecimalNumber(digits: bytes) {
            self = .number(number)
            return
        }
        guard Self.isWellFormed(bytes) else { return nil }
        self = .text(String(decoding: bytes, as: UTF8.self))
    }

    /// Whether the bytes are an identifier of a pre-release or of build metadata.
    static func isWellFormed(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { $0.isDigit || $0.isLetter || $0 == UInt8(ascii: "-") }
    }
}

extension PrereleaseIdentifier: Comparable {
    static func < (left: PrereleaseIdentifier, right: PrereleaseIdentifier) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left < right
        case (.number, .text): true
        case (.text, .number): false
        case (.text(let left), .text(let right)): left < right
        }
    }
}

extension PrereleaseIdentifier: CustomStringConvertible {
    var description: String {
        switch self {
        case .number(let number): number.description
        case .text(let text): text
        }
    }
}
