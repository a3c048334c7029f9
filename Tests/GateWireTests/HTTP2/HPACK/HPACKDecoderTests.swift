import NIOCore
import Testing

@testable import GateWire

/// Tests for RFC 7541, mostly with the examples in its Appendix C.
struct HPACKDecoderTests {
    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.filter { $0 != " " }
        return stride(from: 0, to: digits.count, by: 2).compactMap { offset in
            let start = digits.index(digits.startIndex, offsetBy: offset)
            return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16)
        }
    }

    private static func fields(_ list: HeaderList) -> [String] {
        list.lines.map { line in
            String(decoding: list.bytes[line.start..<line.nameEnd], as: UTF8.self) + "|"
                + String(decoding: list.bytes[line.valueStart..<line.valueEnd], as: UTF8.self)
        }
    }

    private func decode(
        _ blocks: [String],
        limit: Int = 4096
    ) throws -> [[String]] {
        var decoder = HPACKDecoder(names: .response)
        return try blocks.map { block in
            var list = HeaderList()
            try decoder.decode(Self.bytes(block).span, into: &list, limit: limit)
            return Self.fields(list)
        }
    }

    private static let requests = [
        [":method|GET", ":scheme|http", ":path|/", ":authority|www.example.com"],
        [
            ":method|GET", ":scheme|http", ":path|/", ":authority|www.example.com",
            "cache-control|no-cache",
        ],
        [
            ":method|GET", ":scheme|https", ":path|/index.html", ":authority|www.example.com",
            "custom-key|custom-value",
        ],
    ]

    @Test(
        arguments: [
            // C.3: without Huffman coding.
            [
                "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
                "8286 84be 5808 6e6f 2d63 6163 6865",
                "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
            ],
            // C.4: with Huffman coding.
            [
                "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
                "8286 84be 5886 a8eb 1064 9cbf",
                "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
            ],
        ]
    )
    func `requests that refer to earlier fields are decoded`(blocks: [String]) throws {
        #expect(try self.decode(blocks) == Self.requests)
    }

    @Test
    func `a field that is never indexed is not added to the table`() throws {
        // C.2.3, followed by a reference to the first entry of an empty table.
        #expect(throws: HPACKFault.unknownIndex) {
            try self.decode(["1008 7061 7373 776f 7264 0673 6563 7265 74", "be"])
        }
    }

    @Test
    func `a name may refer to an earlier field`() throws {
        let blocks = ["4001 6101 62", "7e01 63", "be"]
        #expect(try self.decode(blocks) == [["a|b"], ["a|c"], ["a|c"]])
    }

    @Test(arguments: ["8518 c631 8c63", "0861 6161 6161 6161 61"])
    func `strings with the shortest codes are decoded completely`(name: String) throws {
        // Eight times `a`, whose code has five bits.
        let value = "8518 c631 8c63"
        let text = String(repeating: "a", count: 8)
        #expect(try self.decode(["00" + name + value]) == [["\(text)|\(text)"]])
        #expect(try self.decode(["04" + value]) == [[":path|\(text)"]])
    }

    @Test
    func `old entries are evicted for new ones`() throws {
        // A table of 64 bytes can hold one field, which takes 32 bytes of overhead and its own bytes.
        let first = "3f21 4001 6101 62"
        let second = "4001 6301 64"
        #expect(try self.decode([first, second, "be"]).last == ["c|d"])
        #expect(throws: HPACKFault.unknownIndex) { try self.decode([first, second, "bf"]) }
    }

    @Test
    func `a field that is larger than the table empties it`() throws {
        let small = "3f02 4001 6101 62"
        #expect(throws: HPACKFault.unknownIndex) { try self.decode([small, "be"]) }
    }

    @Test(
        arguments: [
            ("80", HPACKFault.unknownIndex),
            ("ff80 8080 8080 01", .integerTooLarge),
            ("c6", .unknownIndex),
            ("40", .truncated),
            ("4005 61", .truncated),
            ("4001 61", .truncated),
            ("7f", .truncated),
            ("3fe2 1f", .tableSize),
            ("82 20", .misplacedTableSize),
            // Padding longer than seven bits, padding with zeros, and the end-of-string code.
            ("4082 1fff 00", .huffman),
            ("4081 18 00", .huffman),
            ("4084 ffff ffff 00", .huffman),
        ]
    )
    func `malformed blocks are rejected`(block: String, fault: HPACKFault) {
        #expect(throws: fault) { try self.decode([block]) }
    }

    @Test
    func `a list that is too large is truncated and decoded to its end`() throws {
        var decoder = HPACKDecoder(names: .response)
        var list = HeaderList()
        let block = Self.bytes("4001 6101 62" + String(repeating: "be", count: 1000))
        try decoder.decode(block.span, into: &list, limit: 340)
        #expect(list.isTooLarge)
        #expect(list.lines.count == 10)
        #expect(list.size == 34 * 1001)
    }

    /// The block inserts `a:`, `b: x`, `c: xx` …, followed by a field that is not allowed in a message.
    @Test
    func `a run of indexed fields equals the fields decoded one by one`() throws {
        var decoder = HPACKDecoder(names: .response)
        let names = Array("abcdE")
        let values = names.indices.map { String(repeating: "x", count: $0) }
        let remembered = zip(names, values).flatMap { name, value -> [UInt8] in
            [0x40, 1, name.asciiValue ?? 0, UInt8(value.utf8.count)] + Array(value.utf8)
        }
        var all = HeaderList()
        try decoder.decode(remembered.span, into: &all, limit: 1_000)
        let newest = UInt8(0xBE)
        for first in names.indices {
            for last in first..<names.count {
                let run = (first...last).map { newest + UInt8(names.count - 1 - $0) }
                // The static table's fields before and after the run are not part of it.
                let block = [0x82] + run + [0x82]
                let sizes = [42] + (first...last).map { 33 + values[$0].utf8.count } + [42]
                for limit in [0, 41, 42, 80, 110, 150, 1_000] {
                    var list = HeaderList()
                    try decoder.decode(block.span, into: &list, limit: limit)
                    let fields =
                        [":method|GET"] + (first...last).map { "\(names[$0])|\(values[$0])" }
                        + [":method|GET"]
                    let admitted = sizes.indices.filter { sizes[...$0].reduce(0, +) <= limit }
                    #expect(Self.fields(list) == Array(fields.prefix(admitted.count)))
                    #expect(list.size == sizes.reduce(0, +))
                    #expect(list.isTooLarge == (list.size > limit))
                    #expect(list.isWellFormed == !Self.fields(list).contains("E|xxxx"))
                    #expect(list.lines.map(\.end).last ?? 0 == list.bytes.count)
                }
            }
        }
        #expect(throws: HPACKFault.unknownIndex) {
            try decoder.decode([newest + 5, newest + 4].span, into: &all, limit: 1_000)
        }
    }

    /// The block inserts `a: 0` to `a: 19`.
    @Test(arguments: 1...20)
    func `runs of any length end where the order of the fields ends`(count: Int) throws {
        var decoder = HPACKDecoder(names: .response)
        var list = HeaderList()
        let all = (0..<20).flatMap { number -> [UInt8] in
            let value = Array("\(number)".utf8)
            return [0x40, 1, 0x61, UInt8(value.count)] + value
        }
        try decoder.decode(all.span, into: &list, limit: 10_000)
        for last in [UInt8(0xBE), 0xC0, 0xC1] {
            // After the run, the order is broken by the newest field, the end or a static field.
            for rest in [[0xBE], [], [0x82], [0xBE, 0xBE]] as [[UInt8]] {
                let run = (0..<UInt8(count)).map { last + $0 }.reversed().filter { $0 < 0xD2 }
                let block = run + rest
                list.removeAll()
                try decoder.decode(block.span, into: &list, limit: 10_000)
                let expected = block.map { $0 == 0x82 ? ":method|GET" : "a|\(0xD1 - Int($0))" }
                #expect(Self.fields(list) == expected)
            }
        }
    }

    /// The blocks insert `x-build: 7` and `accept: a`, and refer to them after the rules have changed.
    @Test
    func `fields in the tables have their roles under the newest rules`() throws {
        let before = FieldNameTable.request(identityHeaderNames: ["x-version"])
        let after = FieldNameTable.request(identityHeaderNames: ["x-version", "x-build"])
        var decoder = HPACKDecoder(names: before)
        func roles(_ block: String) throws -> [FieldRole] {
            var list = HeaderList()
            try decoder.decode(Self.bytes(block).span, into: &list, limit: 1_000)
            return list.lines.map(\.role)
        }
        let block = "82 4007 782d 6275 696c 64 01 37 5301 61"
        #expect(try roles(block) == [.other, .other, .accept])
        #expect(try roles("82 bf be 93") == [.other, .other, .accept, .accept])
        decoder.use(after)
        #expect(try roles("82 bf be") == [.other, .identity(1), .accept])
        #expect(try roles(block) == [.other, .identity(1), .accept])
        decoder.use(before)
        #expect(try roles("be bf c0 c1") == [.accept, .other, .accept, .other])
    }

    @Test
    func `a later field can refer to an omitted field's name`() throws {
        var decoder = HPACKDecoder(names: .response)
        var list = HeaderList()
        try decoder.decode(Self.bytes("4001 6101 62").span, into: &list, limit: 10)
        #expect(list.lines.isEmpty)
        list.removeAll()
        try decoder.decode(Self.bytes("be").span, into: &list, limit: 100)
        #expect(Self.fields(list) == ["a|b"])
    }

    @Test
    func `encoded fields are decoded`() throws {
        let line = "Grpc-Status: 9"
        let text = ByteBuffer(string: line)
        let bytes = text.readableBytesUInt8Span
        var section = FieldSection()
        let count = line.utf8.count
        #expect(section.append(lineIn: bytes, from: 0, to: count, table: .response) == nil)
        var block = ByteBuffer()
        block.writeHeaderBlock(fields: 3, bytes: HPACKWriter.emptyTableCount) { block in
            HPACKWriter.writeEmptyTable(into: &block)
            for status in [200, 404, 426] { HPACKWriter.writeStatus(status, into: &block) }
        }
        block.writeHeaderField(section.lines[0], in: bytes)
        for count in [126, 127, 128, 254, 255, 20_000] {
            let long = ByteBuffer(string: "Vary: " + String(repeating: "v", count: count))
            var section = FieldSection()
            let span = long.readableBytesUInt8Span
            _ = section.append(lineIn: span, from: 0, to: 6 + count, table: .response)
            block.writeHeaderField(section.lines[0], in: span)
        }
        var decoder = HPACKDecoder(names: .response)
        var list = HeaderList()
        try decoder.decode(block.readableBytesUInt8Span, into: &list, limit: 100_000)
        let fields = Self.fields(list)
        #expect(
            fields.prefix(4) == [":status|200", ":status|404", ":status|426", "grpc-status|9"]
        )
        #expect(fields.dropFirst(4).map(\.utf8.count) == [131, 132, 133, 259, 260, 20_005])
    }
}
