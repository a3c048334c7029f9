/// A text for all clients of a class, with gaps for their versions.
package struct VersionGaps {
    /// A placeholder for the version, which is random so that no other text contains it by chance.
    package static let standIn = (0..<4)
        .map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    private static let standInBytes = Array(Self.standIn.utf8)

    /// The text without the placeholders.
    package let text: [UInt8]
    /// The offsets in the text at which the version is inserted, in ascending order.
    package let places: [Int]

    /// Cuts the placeholders out of a text.
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
