package import GateRules

/// Cuts an endless answer of JSON objects into the objects, however it comes in pieces.
///
/// The text between their braces is for `JSONParser` to judge.
package struct JSONStreamSplitter {
    /// The most bytes of one object.
    let limit: Int

    private var object: [UInt8] = []
    private var depth = 0
    private var isText = false
    private var isEscaped = false

    package init(limit: Int) {
        self.limit = limit
    }

    /// Takes the next bytes; gives the objects that they complete.
    ///
    /// - Throws: `FeedFailure` if something else than objects comes, or one beyond the limit.
    package mutating func receive(_ bytes: [UInt8]) throws(FeedFailure) -> [[UInt8]] {
        var objects: [[UInt8]] = []
        for byte in bytes {
            if self.depth == 0 {
                if [0x20, 0x09, 0x0A, 0x0D].contains(byte) { continue }
                guard byte == UInt8(ascii: "{") else {
                    throw .content("the stream is no sequence of JSON objects")
                }
            }
            guard self.object.count < self.limit else {
                throw .content("a message of the stream is larger than \(self.limit) bytes")
            }
            self.object.append(byte)
            self.count(byte)
            guard self.depth == 0 else { continue }
            objects.append(self.object)
            self.object = []
        }
        return objects
    }

    private mutating func count(_ byte: UInt8) {
        switch byte {
        case _ where self.isEscaped: self.isEscaped = false
        case UInt8(ascii: "\\") where self.isText: self.isEscaped = true
        case UInt8(ascii: "\""): self.isText.toggle()
        case _ where self.isText: break
        case UInt8(ascii: "{"), UInt8(ascii: "["): self.depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): self.depth -= 1
        default: break
        }
    }
}
