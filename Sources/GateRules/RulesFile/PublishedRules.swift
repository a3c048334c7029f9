package import GatePolicy

/// The active rules of a gate, for the module that evaluates them in another process on the same host.
///
/// Published rules contain everything that affects decisions besides the files: the values of
/// feeds, an undo, and the rules that the circuit breaker has set to observe mode.
package struct PublishedRules: Sendable, Equatable {
    /// The value of a feed.
    struct Feed: Sendable, Equatable {
        let id: String
        let contribution: FeedContribution
    }

    /// The maximum size of the file, in bytes.
    ///
    /// A character can take six bytes in JSON, and a folder can contain many files.
    package static let maximumSize = 6 * 16 * RulesSource.maximumSize
    private static let format = "1"

    package let revision: String
    let files: [RulesSource]
    /// The feeds with a value, in the order in which the files list them.
    let feeds: [Feed]
    /// The names of the rules that the circuit breaker has set to observe mode.
    let observed: [String]

    /// Collects the active rules.
    ///
    /// - Parameters:
    ///   - rules: The rules as loaded.
    ///   - acting: The rules as applied, with tripped rules in observe mode.
    ///   - contributions: The values of feeds, by feed ID.
    package init(
        _ rules: LoadedRules,
        acting: RuleSet,
        _ contributions: [String: FeedContribution]
    ) {
        self.revision = rules.definition.revision
        self.files = rules.sources
        self.feeds = rules.feeds.compactMap { feed in
            contributions[feed.id].flatMap { contribution in
                guard contribution.isValid(for: feed) else { return nil }
                let parts = FeedContribution(
                    fingerprint: "",
                    value: FeedValue(files: contribution.value.files),
                    earlier: (rules.earlier[feed.id] ?? []).map { FeedValue(files: $0.files) },
                    isObserved: contribution.isObserved
                )
                return Feed(id: feed.id, contribution: parts)
            }
        }
        self.observed = rules.definition.names(observedIn: acting.definition).sorted()
    }
}

/// The JSON file with the published rules.
extension PublishedRules {
    fileprivate enum Key {
        static let format = "format"
        static let revision = "revision"
        static let files = "files"
        static let feeds = "feeds"
        static let observed = "observed"
        static let name = "name"
        static let text = "text"
        static let id = "id"
        static let earlier = "earlier"
        static let isObserved = "isObserved"
    }

    package var json: [UInt8] {
        let files = self.files.map { source in
            Self.file(name: source.name, text: String(decoding: source.bytes, as: UTF8.self))
        }
        let feeds = self.feeds.map { feed in
            JSONValue.object([
                .init(Key.id, .text(feed.id)),
                .init(Key.isObserved, .boolean(feed.contribution.isObserved)),
                .init(Key.files, Self.list(of: feed.contribution.value)),
                .init(Key.earlier, .list(feed.contribution.earlier.map(Self.list(of:)))),
            ])
        }
        let document = JSONValue.object([
            .init(Key.format, .number(Self.format)),
            .init(Key.revision, .text(self.revision)),
            .init(Key.files, .list(files)),
            .init(Key.feeds, .list(feeds)),
            .init(Key.observed, .list(self.observed.map { .text($0) })),
        ])
        return Array(document.rendered.utf8) + [UInt8(ascii: "\n")]
    }

    private static func list(of value: FeedValue) -> JSONValue {
        .list(value.files.map { self.file(name: $0.name, text: $0.text) })
    }

    private static func file(name: String?, text: String) -> JSONValue {
        let name = name.map { [JSONValue.Member(Key.name, .text($0))] } ?? []
        return .object(name + [.init(Key.text, .text(text))])
    }

    /// Reads the file.
    ///
    /// - Throws: The error to log if the file cannot be read, or does not contain published rules.
    package init(path: String) throws(RulesFileError) {
        let source = try RulesSource(path: path, atMost: Self.maximumSize)
        try self.init(parsing: source.bytes, from: path)
    }

    /// Parses the content of a file with published rules.
    ///
    /// - Throws: The error to log if the content is invalid.
    package init(parsing bytes: [UInt8], from path: String) throws(RulesFileError) {
        let document: JSONValue
        do throws(JSONParser.Failure) {
            document = try JSONParser.parse(bytes)
        } catch {
            throw RulesFileError(
                Place(file: path, line: error.line, column: error.column),
                "published rules must be JSON: \(error)"
            )
        }
        guard document[Key.format] == .number(Self.format),
            let revision = document[Key.revision]?.text,
            let files = document[Key.files]?.items(Self.source),
            let feeds = document[Key.feeds]?.items({ Feed($0) }),
            let observed = document[Key.observed]?.items(\.text)
        else {
            let message =
                "expected rules that a gate of the same version published with --publish-rules"
            throw RulesFileError(file: path, message: message)
        }
        self.revision = revision
        self.files = files
        self.feeds = feeds
        self.observed = observed
    }

    /// Whether the bytes are rules that a gate published, in any version of the format.
    package static func canReplace(_ bytes: [UInt8]) -> Bool {
        guard let document = try? JSONParser.parse(bytes) else { return false }
        return document[Key.format] != nil && document[Key.files] != nil
    }

    private static func source(_ value: JSONValue) -> RulesSource? {
        guard let file = self.file(value), let name = file.name else { return nil }
        return RulesSource(name: name, text: file.text)
    }

    private static func file(_ value: JSONValue) -> FeedValue.File? {
        value[Key.text]?.text.map { FeedValue.File(name: value[Key.name]?.text, text: $0) }
    }

    fileprivate static func value(_ list: JSONValue) -> FeedValue? {
        list.items(Self.file).map { FeedValue(files: $0) }
    }
}

extension PublishedRules.Feed {
    fileprivate init?(_ value: JSONValue) {
        guard let id = value[PublishedRules.Key.id]?.text,
            case .boolean(let isObserved) = value[PublishedRules.Key.isObserved],
            let current = value[PublishedRules.Key.files].flatMap(PublishedRules.value),
            let earlier = value[PublishedRules.Key.earlier]?.items(PublishedRules.value)
        else { return nil }
        self.id = id
        self.contribution = FeedContribution(
            fingerprint: "",
            value: current,
            earlier: earlier,
            isObserved: isObserved
        )
    }
}

extension JSONValue {
    /// Decodes the items of a list; returns `nil` if this is not a list or if an item is invalid.
    fileprivate func items<Value>(_ decode: (JSONValue) -> Value?) -> [Value]? {
        guard case .list(let items) = self else { return nil }
        let values = items.compactMap(decode)
        return values.count == items.count ? values : nil
    }
}
