package import GateSystem

/// The kinds of feeds that a rules file can name after `source`.
package struct FeedKinds: Sendable {
    /// The decoders and the values of `source` that select them, in the order in which messages
    /// list them.
    let decoders: [(word: String, decoder: any FeedSourceDecoder)]
    /// Decodes a URL; `nil` in a program without network access.
    let address: (@Sendable (Element, Problems) -> FetchURL?)?

    /// No kinds, for a program without network access.
    package static let none = FeedKinds()

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
    }

    private init() {
        self.decoders = []
        self.address = nil
    }
}
