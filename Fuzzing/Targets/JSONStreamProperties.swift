import GateFeeds
import GateRules

/// Properties of any bytes as an endless response of JSON objects.
struct JSONStreamProperties {
    private static let limit = 256

    private let input: [UInt8]

    init(_ input: [UInt8]) {
        self.input = input
    }

    func check() throws(Finding) {
        let whole = Self.objects(in: self.input, endingAt: [self.input.count])
        for ends in Splits(self.input) {
            try expect(Self.objects(in: self.input, endingAt: ends), is: whole, "in pieces \(ends)")
        }
        guard let whole else { return }
        for object in whole {
            try expect(object.count <= Self.limit, "an object of \(object.count) bytes")
        }
        let again = Array(whole.joined(separator: [0x0A]))
        try expect(Self.objects(in: again, endingAt: [again.count]), is: whole, "sent again")
    }

    /// Returns the objects of a stream; `nil` if it is invalid.
    private static func objects(in bytes: [UInt8], endingAt ends: [Int]) -> [[UInt8]]? {
        var splitter = JSONStreamSplitter(limit: Self.limit)
        var start = 0
        var objects: [[UInt8]] = []
        for end in ends {
            guard let next = try? splitter.receive(Array(bytes[start..<end])) else { return nil }
            objects += next
            start = end
        }
        return objects
    }
}
