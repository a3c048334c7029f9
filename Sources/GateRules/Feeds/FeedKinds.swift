package import GateSystem

/// The kinds of feeds that a rules file can name after `source`.
package struct FeedKinds: Sendable {
    /// The decoders and the values of `source` that select them, in the order in which messages
    /// list them.
    let decoders: [(word: String, decoder: any FeedSourceDecoder)]
    /// Decodes a URL; `nil` in a program without network access.
    let address: (@Sendable (Element, Problems) -> FetchURL?)?

    /// Whether feeds are skipped, because a gate has already fetched their values.
    let areSkipped: Bool

    /// No kinds, for a program without network access.
    package static let none = FeedKinds(areSkipped: false)
    /// No kinds, for a program that gets the values of feeds from a gate.
    static let skipped = FeedKinds(areSkipped: true)

    /// Creates the kinds of a program that can fetch URLs.
    ///
    /// - Parameters:
    ///   - decoders: The decoders, by the value of `source`.
    ///   - address: Decodes a URL, or reports why it cannot be fetched.
    package init(
        _ decoders: KeyValuePairs<String, any FeedSourceDecoder>,
        address: @escaping @Sendable (Element, Problems) -> FetchURL?
    ) {
        self.decoders = decoders.map { (word: $0.key, decoder: $0.value) }
        self.address = address
        self.areSkipped = false
    }

    private init(areSkipped: Bool) {
        self.decoders = []
        self.address = nil
        self.areSkipped = areSkipped
    }
}
