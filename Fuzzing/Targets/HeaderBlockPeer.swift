import GateWire

/// A second, simpler decoder of header blocks (RFC 7541).
///
/// It stores fields in an array, has no limits but those in the RFC, and does not decode Huffman codes.
struct HeaderBlockPeer {
    enum Reading {
        case fields([Field])
        /// The block contains Huffman codes.
        case coded
        case unreadable
    }

    private struct Unreadable: Error {}

    struct Field: Equatable {
        var name: [UInt8]
        var value: [UInt8]

        var size: Int { self.name.count + self.value.count + 32 }
    }

    private var table: [Field] = []
    private var capacity = 4096

    private static let fixed = HPACKStaticTable.fields.map {
        Field(name: Array($0.name.utf8), value: Array($0.value.utf8))
    }

    mutating func decode(_ block: [UInt8]) -> Reading {
        do throws(Unreadable) {
            return try self.read(block).map(Reading.fields) ?? .coded
        } catch {
            return .unreadable
        }
    }

    private mutating func read(_ block: [UInt8]) throws(Unreadable) -> [Field]? {
        var rest = block[...]
        var fields: [Field] = []
        while let byte = rest.first {
            if byte >= 0x80 {
                fields.append(try self.field(try Self.integer(&rest, bits: 7)))
            } else if byte >= 0x20, byte < 0x40 {
                guard fields.isEmpty else { throw Unreadable() }
                let capacity = try Self.integer(&rest, bits: 5)
                guard capacity <= 4096 else { throw Unreadable() }
                self.capacity = capacity
                self.evict()
            } else {
                let isKept = byte >= 0x40
                let index = try Self.integer(&rest, bits: isKept ? 6 : 4)
                var name = index == 0 ? nil : try self.field(index).name
                if name == nil { name = try Self.string(&rest) }
                guard let name else { return nil }
                guard let value = try Self.string(&rest) else { return nil }
                let field = Field(name: name, value: value)
                fields.append(field)
                if isKept {
                    self.table.insert(field, at: 0)
                    self.evict()
                }
            }
        }
        return fields
    }

    private func field(_ index: Int) throws(Unreadable) -> Field {
        guard index > 0, index <= Self.fixed.count + self.table.count else { throw Unreadable() }
        return index <= Self.fixed.count
            ? Self.fixed[index - 1] : self.table[index - 1 - Self.fixed.count]
    }

    private mutating func evict() {
        while self.table.reduce(0, { $0 + $1.size }) > self.capacity { self.table.removeLast() }
    }

    private static func integer(
        _ rest: inout ArraySlice<UInt8>,
        bits: Int
    ) throws(Unreadable) -> Int {
        guard let first = rest.popFirst() else { throw Unreadable() }
        let most = (1 << bits) - 1
        var value = Int(first) % (1 << bits)
        guard value == most else { return value }
        for place in 0..<4 {
            guard let byte = rest.popFirst() else { throw Unreadable() }
            value += Int(byte % 128) << (7 * place)
            if byte < 128 { return value }
        }
        throw Unreadable()
    }

    /// - Returns: `nil` for a Huffman code.
    private static func string(_ rest: inout ArraySlice<UInt8>) throws(Unreadable) -> [UInt8]? {
        guard let first = rest.first else { throw Unreadable() }
        let count = try Self.integer(&rest, bits: 7)
        guard first < 128 else { return nil }
        guard count <= rest.count else { throw Unreadable() }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}
