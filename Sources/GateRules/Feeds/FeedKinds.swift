/// The kinds of feeds that a rules file can name after `source`.
package struct FeedKinds: Sendable {
    /// The decoders and the values of `source` that select them, in the order in which messages
    /// list them.
    let decoders: [(word: String, decoder: any FeedSourceDecoder)]

    package init(_ decoders: KeyValuePairs<String, any FeedSourceDecoder>) {
        self.decoders = decoders.map { (word: $0.key, decoder: $0.value) }
    }
}
