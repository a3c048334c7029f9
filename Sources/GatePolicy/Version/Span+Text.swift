extension Span<UInt8> {
    /// The text of the bytes; what is not UTF-8 becomes U+FFFD.
    var text: String {
        unsafe self.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The text of the bytes with ASCII letters in lower case.
    var lowercasedText: String {
        unsafe String(unsafeUninitializedCapacity: self.count) { buffer in
            for index in self.indices { unsafe buffer[index] = self[index].lowercased }
            return self.count
        }
    }

    func allSatisfy(_ isWanted: (UInt8) -> Bool) -> Bool {
        for index in self.indices where !isWanted(self[index]) { return false }
        return true
    }

    /// The first place of a byte.
    func firstIndex(of byte: UInt8) -> Int? {
        for index in self.indices where self[index] == byte { return index }
        return nil
    }
}

extension [UInt8] {
    mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe self.append(contentsOf: $0) }
    }
}

extension String {
    /// The text with ASCII letters in lower case, as clients' names are compared.
    package var lowercasedASCII: String { self.utf8Span.span.lowercasedText }
}
