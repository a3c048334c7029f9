/// The content for all clients of a class, with the offsets at which their versions are inserted.
package struct VersionGaps {
    /// A placeholder for the version.
    ///
    /// The placeholder is random, so that it does not occur in other content by chance.
    package static let standIn = (0..<4)
        .map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    private static let standInBytes = Array(Self.standIn.utf8)

    /// The content without the placeholders.
    package let text: [UInt8]
    /// The offsets in `text` at which the version is inserted, in ascending order.
    package let places: [Int]

    /// Removes the placeholders from `pattern` and records their offsets.
    package init(cutFrom pattern: [UInt8]) {
        let standIn = Self.standInBytes
        var (text, places, index) = ([UInt8](), [Int](), 0)
        while index < pattern.count {
            let end = index + standIn.count
            if end <= pattern.count, pattern[index..<end].elementsEqual(standIn) {
                places.append(text.count)
                index = end
            } else {
                text.append(pattern[index])
                index += 1
            }
        }
        (self.text, self.places) = (text, places)
    }
}
