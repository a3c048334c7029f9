import Testing
import WireSamples

@testable import GateWire

@Suite(.ownThread)
struct SpanScanningTests {
    @Test(arguments: [
        ("", []), (",", []), (" , \t,", []), ("a", ["a"]), (" a ", ["a"]), ("a,b", ["a", "b"]),
        ("a b ,\tc\t,,d", ["a b", "c", "d"]), (",a", ["a"]), ("a,", ["a"]),
    ])
    func `list members are separated by commas`(_ list: String, _ members: [String]) {
        let bytes = Array("x\(list)y".utf8)
        var found: [String] = []
        bytes.span.forEachListMember(from: 1, to: bytes.count - 1) { start, end in
            found.append(bytes.text(from: start, to: end))
            return true
        }
        #expect(found == members)
    }

    @Test func `iteration over a list stops on request`() {
        let bytes = Array("a,b,c".utf8)
        var count = 0
        bytes.span.forEachListMember(from: 0, to: bytes.count) { _, _ in
            count += 1
            return count < 2
        }
        #expect(count == 2)
    }

    @Test(arguments: 0...20)
    func `a word has zeros for the bytes after the end`(count: Int) {
        let bytes = (0..<count).map { UInt8($0 + 1) }
        for start in 0...count + 9 {
            let word = bytes.span.word(at: start)
            let found = (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
            let expected = (start..<start + 8).map { $0 < count ? bytes[$0] : 0 }
            #expect(found == expected)
        }
    }

    @Test func `a byte is found at or after the start`() {
        let bytes = Array("abca".utf8)
        let span = bytes.span
        let letter = UInt8(ascii: "a")
        let found = [0, 1, 3, 4, 9].map { span.position(of: letter, from: $0) }
        #expect(found == [0, 3, 3, nil, nil])
        let isThere = span.position(of: UInt8(ascii: "x"), from: 0) != nil
        #expect(!isThere)
    }

    @Test func `matches ignores case, and equals does not`() {
        let bytes = Array("xCloSex".utf8)
        let span = bytes.span
        let results = [
            span.matches("close", from: 1, to: 6), span.matches("close", from: 1, to: 7),
            span.matches("clone", from: 1, to: 6), span.equals("CloSe", from: 1, to: 6),
            span.equals("close", from: 1, to: 6), span.equals("CloS", from: 1, to: 6),
        ]
        #expect(results == [true, false, false, true, false, false])
    }

    @Test func `names and values end at the first byte that is not plain`() {
        for byte in UInt8.min...UInt8.max {
            let isName = Character(UnicodeScalar(byte)).isLetter || byte == ASCII.hyphen
            let isPlainName = byte < 0x80 && isName || ASCII.isDigit(byte)
            let isPlainValue = byte >= 0x20 && byte != 0x7F
            for count in [8, 9, 15, 16, 17, 19] {
                for place in 0..<count {
                    var bytes = [UInt8](repeating: UInt8(ascii: "-"), count: count)
                    bytes[place] = byte
                    for start in 0...count {
                        let name = bytes.span.endOfPlainName(from: start)
                        let value = bytes.span.endOfPlainValue(from: start)
                        let isAhead = start <= place
                        #expect(name == (isAhead && !isPlainName ? place : count))
                        #expect(value == (isAhead && !isPlainValue ? place : count))
                    }
                }
            }
        }
    }

    @Test func `a target ends at the first byte that is not allowed in it`() {
        for byte in UInt8.min...UInt8.max {
            for place in 0..<19 {
                var bytes = [UInt8](repeating: UInt8(ascii: "~"), count: 19)
                bytes[place] = byte
                let end = bytes.span.endOfTarget(from: 1, to: 18)
                let isInside = 1..<18 ~= place && !ASCII.isTarget(byte)
                #expect(end == (isInside ? place : 18), "\(byte) at \(place)")
            }
        }
    }
}
