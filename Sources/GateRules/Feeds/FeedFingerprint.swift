internal import GateCrypto
/// A hash of a feed's source definition, independent of its location and formatting.
struct FeedFingerprint {
    /// The keys that do not affect the fetched data.
    private static let ignored = [
        "id", "every", "staleAfter", "whenStale", "webhookSecret", "accept",
    ]

    let text: String

    init(of element: Element) {
        var hash = SHA256()
        if case .mapping(let entries) = element.content {
            let kept = entries.filter { !Self.ignored.contains($0.key) }
            Self.add(.mapping(kept), to: &hash)
        }
        self.text = hash.digest.prefix(12).hexadecimal
    }

    private static func add(_ content: Element.Content, to hash: inout SHA256) {
        switch content {
        case .text(let text): self.add("t", text, to: &hash)
        case .number(let text): self.add("n", text, to: &hash)
        case .boolean(let text): self.add("b", text, to: &hash)
        case .date(let text): self.add("d", text, to: &hash)
        case .nothing: self.add("0", "", to: &hash)
        case .list(let items):
            self.add("l", "\(items.count)", to: &hash)
            for item in items { self.add(item.content, to: &hash) }
        case .mapping(let entries):
            self.add("m", "\(entries.count)", to: &hash)
            for entry in entries.sorted(by: { $0.key < $1.key }) {
                self.add("k", entry.key, to: &hash)
                self.add(entry.value.content, to: &hash)
            }
        }
    }

    /// Adds a string, preceded by its kind and length, which make the encoding unambiguous.
    private static func add(_ kind: String, _ text: String, to hash: inout SHA256) {
        hash.update(Array("\(kind)\(text.utf8.count):\(text)".utf8))
    }
}
