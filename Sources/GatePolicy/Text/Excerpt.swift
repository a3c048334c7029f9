/// A truncated and printable excerpt from client input, for logs and error messages.
///
/// Control characters are replaced, so that a value can neither split a log line nor control a
/// terminal.
struct Excerpt {
    /// The maximum length of an excerpt, in bytes of the original string.
    static let maximumLength = 64

    let text: String

    init(_ bytes: some Collection<UInt8>) {
        let kept = String(decoding: bytes.prefix(Self.maximumLength), as: UTF8.self)
        let isPrintable =
            kept.utf8.allSatisfy { 0x20...0x7E ~= $0 }
            || kept.unicodeScalars.allSatisfy(Self.isPrintable)
        var text = isPrintable ? kept : ""
        if !isPrintable {
            for scalar in kept.unicodeScalars {
                text.unicodeScalars.append(Self.isPrintable(scalar) ? scalar : "\u{FFFD}")
            }
        }
        self.text = bytes.count <= Self.maximumLength ? text : text + "…"
    }

    init(_ text: some StringProtocol) {
        self.init(text.utf8)
    }

    init(_ bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Excerpt($0) }
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        // Latin, kana, Chinese and Korean letters do not require a lookup in a Unicode table.
        switch scalar.value {
        case 0x20...0x7E, 0xC0...0x24F, 0x3041...0x3096, 0x30A1...0x30FA, 0x4E00...0x9FFF,
            0xAC00...0xD7A3:
            true
        default:
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }
}
