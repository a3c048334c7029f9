/// An input that is parsed as a list of small numbers, for targets whose input is not text.
struct Script {
    private var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) {
        self.rest = input[...]
    }

    var isAtEnd: Bool { self.rest.isEmpty }

    /// Returns the next number, or zero after the end.
    mutating func number(below bound: Int) -> Int {
        Int(self.rest.popFirst() ?? 0) % bound
    }

    mutating func flag() -> Bool { self.number(below: 2) == 1 }
}
