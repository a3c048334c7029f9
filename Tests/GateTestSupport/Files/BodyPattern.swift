/// Bytes of a large body that show when one is lost, doubled or moved.
package enum BodyPattern {
    /// Its length is a prime number, so that no buffer size divides it.
    package static let block: [UInt8] = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 * 31 / 7) }

    /// The bytes that stand at these places of the repeated block.
    package static func bytes(_ range: Range<Int>) -> [UInt8] {
        range.map { self.block[$0 % self.block.count] }
    }

    /// The SHA-256 of so many bytes of the repeated block.
    package static func sha256(of count: Int) throws -> String {
        let digest = try StreamDigest()
        for _ in 0..<(count / self.block.count) {
            try digest.update(self.block)
        }
        try digest.update(Array(self.block.prefix(count % self.block.count)))
        return try digest.finish()
    }
}
