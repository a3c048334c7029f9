import Testing

@testable import GateWire

struct ASCIITests {
    private static let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let digits = Set("0123456789".utf8)

    @Test(arguments: UInt8.min...UInt8.max)
    func `the class of each byte is that in the grammar`(_ byte: UInt8) {
        let isToken =
            Self.letters.contains(byte) || Self.digits.contains(byte)
            || "!#$%&'*+-.^_`|~".utf8.contains(byte)
        #expect(ASCII.isToken(byte) == isToken)
        #expect(ASCII.isDigit(byte) == Self.digits.contains(byte))
        #expect(ASCII.isBlank(byte) == (byte == 32 || byte == 9))
        #expect(ASCII.isFieldValue(byte) == (byte == 9 || byte >= 32 && byte != 127))
        #expect(ASCII.isTarget(byte) == (byte > 32 && byte < 127 && byte != UInt8(ascii: "#")))
        #expect(ASCII.hexValue(byte) == Character(UnicodeScalar(byte)).hexByteValue)
        let isUpper = (65...90).contains(byte)
        #expect(ASCII.lowercased(byte) == (isUpper ? byte + 32 : byte))
    }
}

extension Character {
    fileprivate var hexByteValue: UInt64? {
        self.isASCII ? self.hexDigitValue.map { UInt64($0) } : nil
    }
}
