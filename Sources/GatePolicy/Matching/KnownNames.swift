/// The names that rules contain.
struct KnownNames: Sendable {
    private let names: [[UInt8]]
    /// The name prefixes that rules contain, longest first.
    private let prefixes: [[UInt8]]
    let isASCII: Bool

    var isEmpty: Bool { self.names.isEmpty && self.prefixes.isEmpty }

    init(_ names: some Sequence<String>, prefixes: some Sequence<String> = []) {
        self.names = Set(names.map { Array($0.utf8) }).sorted { $0.lexicographicallyPrecedes($1) }
        self.prefixes = Set(prefixes.map { Array($0.utf8) }).sorted { $0.count > $1.count }
        self.isASCII = (self.names + self.prefixes).allSatisfy { $0.span.isASCII }
    }

    /// Returns the number that identifies a name, or the longest known prefix of the name.
    ///
    /// Returns 0 if rules contain neither the name nor a prefix of it.
    func place(of name: Span<UInt8>) -> Int {
        let place = self.exactPlace(of: name)
        guard place == 0, !self.prefixes.isEmpty else { return place }
        // The longest prefix also implies all shorter prefixes of the name.
        let longest = self.prefixes.firstIndex { prefix in
            prefix.count < name.count
                && name.extracting(0..<prefix.count).difference(from: prefix.span) == 0
        }
        return longest.map { self.names.count + 1 + $0 } ?? 0
    }

    private func exactPlace(of name: Span<UInt8>) -> Int {
        var (start, end) = (0, self.names.count)
        while start < end {
            let middle = (start + end) / 2
            let known = self.names[middle]
            let difference = name.difference(from: known.span)
            if difference == 0 { return middle + 1 }
            if difference > 0 { start = middle + 1 } else { end = middle }
        }
        return 0
    }

    func place(ofLowercased name: Span<UInt8>) -> Int {
        if name.allSatisfy({ $0.lowercased == $0 }) { return self.place(of: name) }
        let lowercased = name.lowercasedText
        return self.place(of: lowercased.utf8Span.span)
    }

    func place(ofPlatform name: Span<UInt8>) -> Int {
        let written = self.place(of: name)
        // A match is final, because rules contain no aliases. A mismatch of a non-ASCII name is
        // final if all names in rules are ASCII, because aliases contain only ASCII letters.
        guard written == 0, !self.isASCII || name.isASCII else { return written }
        let platform = Platform(name).name
        return self.place(of: platform.utf8Span.span)
    }
}

extension Span<UInt8> {
    /// Returns a negative number if these bytes sort before `other`, a positive number if they sort
    /// after `other`, and 0 if they are equal.
    fileprivate func difference(from other: Span<UInt8>) -> Int {
        for index in 0..<Swift.min(self.count, other.count) where self[index] != other[index] {
            return Int(self[index]) - Int(other[index])
        }
        return self.count - other.count
    }
}
