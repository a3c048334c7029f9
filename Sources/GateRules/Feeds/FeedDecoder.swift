package import GateSystem

/// Decodes an entry of `feeds`.
struct FeedDecoder {
    private static let webhookKey = "webhookSecret"
    static let keys = ["id", "source", "every", "staleAfter", "whenStale", "accept"]

    let kinds: FeedKinds
    let problems: Problems

    func decode(_ element: Element) -> FeedDefinition? {
        guard let (kind, decoder) = self.decoder(for: element) else { return nil }
        let keys = Self.keys(with: decoder)
        guard let fields = Fields(element, keys, self.problems) else { return nil }
        let id = fields.required("id", of: "a feed").flatMap { element in
            element.parsed(as: "a feed id", self.problems, by: Name.init(parsing:))
        }
        let timing = self.timing(fields, usually: decoder.usualInterval)
        let source = decoder.decode(fields, self.problems)
        let secret = fields[Self.webhookKey].flatMap { $0.secret(self.problems) }
        let webhook = secret.flatMap { secret in
            decoder.webhook.map { FeedWebhook(form: $0, secret: secret) }
        }
        guard let id, let source else { return nil }
        return FeedDefinition(
            id: id.text,
            kind: kind,
            place: element.place,
            timing: timing,
            source: source,
            webhook: webhook,
            fingerprint: FeedFingerprint(of: element).text,
            accepted: fields["accept"]?.findings(self.problems) ?? []
        )
    }

    /// Returns the keys of a feed: those of all feeds, and those of its source decoder.
    static func keys(with decoder: some FeedSourceDecoder) -> [String] {
        self.keys + (decoder.webhook == nil ? [] : [self.webhookKey]) + decoder.keys
    }

    /// Returns the decoder for the value of `source`.
    private func decoder(
        for element: Element
    ) -> (word: String, decoder: any FeedSourceDecoder)? {
        guard let entries = element.entries(self.problems) else { return nil }
        guard let source = entries.first(where: { $0.key == "source" })?.value else {
            return self.problems.reject("a feed needs 'source'", at: element.place)
        }
        guard let word = source.text("a feed kind", self.problems) else { return nil }
        if let known = self.kinds.decoders.first(where: { $0.word == word }) { return known }
        let words = self.kinds.decoders.map(\.word)
        guard self.kinds.address != nil else {
            let message = "this program cannot fetch feeds; feeds need a gate"
            return self.problems.reject(message, at: source.place)
        }
        let hint = Spelling.hint(for: word, among: words)
        let message = "unknown feed kind '\(word)'"
        let known = hint.isEmpty ? "; expected one of \(words.joined(separator: ", "))" : hint
        return self.problems.reject(message + known, at: source.place)
    }

    private func timing(_ fields: Fields, usually interval: Int64) -> FeedTiming {
        let every = fields["every"].flatMap { self.positive($0) } ?? interval
        let staleAfter = fields["staleAfter"].flatMap { self.positive($0) }
        if let staleAfter, staleAfter <= every, let element = fields["staleAfter"] {
            let message = "'staleAfter' must be longer than the polling interval of \(every) s"
            self.problems.report(message, at: element.place)
        }
        if fields["staleAfter"] == nil { fields.refuse("whenStale", "requires 'staleAfter'") }
        return FeedTiming(
            every: every,
            staleAfter: staleAfter,
            whenStale: fields.choice("whenStale", of: FeedTiming.StalePolicy.self) ?? .keep
        )
    }

    private func positive(_ element: Element) -> Int64? {
        guard let seconds = element.timeSpan(self.problems) else { return nil }
        guard seconds > 0 else {
            let message = "expected a duration above zero, such as 60s"
            return self.problems.reject(message, at: element.place)
        }
        return seconds
    }
}

/// Decodes the keys of one kind of feed.
package protocol FeedSourceDecoder: Sendable {
    var keys: [String] { get }
    /// The default polling interval in seconds.
    var usualInterval: Int64 { get }
    /// The signature format of the source's webhooks; `nil` if the source is streamed or sends no
    /// webhooks.
    var webhook: FeedWebhook.Form? { get }

    func decode(_ fields: Fields, _ problems: Problems) -> (any FeedSource)?
}

extension FeedSourceDecoder {
    package var webhook: FeedWebhook.Form? { .hub }
}

/// The kinds of feeds that a rules file can name after `source`.
package struct FeedKinds: Sendable {
    /// The decoders, each with the value of `source` that selects it, in the order in which messages list the values.
    let decoders: [(word: String, decoder: any FeedSourceDecoder)]
    /// Decodes a URL; returns `nil` in a program without network access.
    let address: (@Sendable (Element, Problems) -> FetchURL?)?

    /// Whether feeds are skipped, because a gate has already fetched their values.
    let areSkipped: Bool

    /// No kinds, for a program without network access.
    package static let none = FeedKinds(areSkipped: false)
    /// No kinds, for a program that gets the values of feeds from a gate.
    static let skipped = FeedKinds(areSkipped: true)

    /// Creates the kinds for a program that can fetch URLs.
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
