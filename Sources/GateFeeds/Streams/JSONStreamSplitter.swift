package import GateRules
/// Splits a stream of JSON objects into the objects; the chunks can have any size.
///
/// Only braces and strings are recognized; `JSONParser` validates the objects.
package struct JSONStreamSplitter {
    /// The maximum size of an object in bytes.
    let limit: Int

    private var object: [UInt8] = []
    private var depth = 0
    private var isText = false
    private var isEscaped = false

    package init(limit: Int) {
        self.limit = limit
    }

    /// Processes the next bytes, and returns the objects that they complete.
    ///
    /// - Throws: `FeedFailure` if the stream contains anything but objects, or an object exceeds
    ///   the limit.
    package mutating func receive(_ bytes: [UInt8]) throws(FeedFailure) -> [[UInt8]] {
        var objects: [[UInt8]] = []
        for byte in bytes {
            if self.depth == 0 {
                if [0x20, 0x09, 0x0A, 0x0D].contains(byte) { continue }
                guard byte == UInt8(ascii: "{") else {
                    throw .content("the stream is not a sequence of JSON objects")
                }
            }
            guard self.object.count < self.limit else {
                throw .content("a stream message is larger than \(self.limit) bytes")
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
