internal import GatePolicy
internal import GateRules
internal import GateSystem

/// Reads what a source says, field by field; what is `null` or empty is not there.
extension JSONValue {
    /// The value at a path.
    ///
    /// - Throws: `FeedFailure` if a pointer leads into a text that is no JSON.
    func value(at path: String) throws(FeedFailure) -> JSONValue? {
        switch self.lookup(path) {
        case .absent: return nil
        case .found(let value): return value
        case .broken(let reason):
            throw .content("'\(path)' cannot be read: the text there is \(reason)")
        }
    }

    /// A value at a path, as one of the readers of `SourceValue` reads it.
    func read<Value>(
        _ path: String,
        _ reader: (JSONValue) throws(SourceValue.Fault) -> Value?
    ) throws(FeedFailure) -> Value? {
        guard let value = try self.value(at: path) else { return nil }
        do throws(SourceValue.Fault) {
            return try reader(value)
        } catch {
            throw .fault(error, at: path)
        }
    }

    /// A text, or the only one of a list, as select fields send it.
    func text(at path: String) throws(FeedFailure) -> String? {
        try self.read(path, SourceValue.text)
    }

    /// A version, such as `3.5.0`.
    func version(at path: String) throws(FeedFailure) -> AppVersion? {
        try self.read(path, SourceValue.version)
    }

    /// A build, such as `41200` or `93.1`.
    func build(at path: String) throws(FeedFailure) -> BuildNumber? {
        try self.read(path, SourceValue.build)
    }

    /// A point in time with its offset.
    func time(at path: String) throws(FeedFailure) -> Timestamp? {
        try self.read(path, SourceValue.time)
    }

    /// Words by language, at one place or at one for each language.
    func words(
        _ field: String,
        _ names: FieldNames,
        in language: LanguageTag
    ) throws(FeedFailure) -> [LanguageTag: String] {
        guard let named = names.words(field) else {
            let words = try self.read(names[field]) { (value) throws(SourceValue.Fault) in
                try SourceValue.words(value, in: language)
            }
            return words ?? [:]
        }
        var words: [LanguageTag: String] = [:]
        for name in named { words[name.language] = try self.text(at: name.path) }
        return words
    }

    /// The maintenance that the named fields state; `nil` if `fields` names none.
    func maintenance(
        _ names: FieldNames,
        in language: LanguageTag
    ) throws(FeedFailure) -> SourceMaintenance? {
        guard SourceMaintenance.fields.contains(where: names.isGiven) else { return nil }
        var maintenance = SourceMaintenance()
        if let path = names.given(SourceMaintenance.switchField) {
            let stated = try self.read(path) { (value) throws(SourceValue.Fault) in
                try SourceMaintenance.reading(value, in: language)
            }
            maintenance = stated ?? SourceMaintenance(isOn: false)
        }
        if let path = names.given(SourceMaintenance.fromField) {
            maintenance.from = try self.time(at: path)
        }
        if let path = names.given(SourceMaintenance.untilField) {
            maintenance.until = try self.time(at: path)
        }
        if names.isGiven(SourceMaintenance.titleField) {
            maintenance.words.title = try self.words(
                SourceMaintenance.titleField,
                names,
                in: language
            )
        }
        if names.isGiven(SourceMaintenance.messageField) {
            maintenance.words.message = try self.words(
                SourceMaintenance.messageField,
                names,
                in: language
            )
        }
        return maintenance
    }

    /// Reads a body that must be JSON.
    static func body(of response: FetchResponse) throws(FeedFailure) -> JSONValue {
        do {
            return try JSONParser.parse(response.body)
        } catch {
            throw FeedFailure.webPage(response.body) ?? .content("the answer is \(error)")
        }
    }
}

extension FeedFailure {
    /// A value that is not what its field needs.
    static func fault(_ fault: SourceValue.Fault, at path: String) -> FeedFailure {
        switch fault {
        case .unfit(let reason): .content("'\(path)' \(reason)")
        case .unreadable(let noun, _, let reason): .content("'\(path)' is no \(noun): \(reason)")
        }
    }

    /// How much of an answer is looked at.
    private static let beginning = 512

    /// Says that an answer is a page for people; `nil` if it is something else.
    static func webPage(_ body: [UInt8]) -> FeedFailure? {
        let text = String(decoding: body.prefix(Self.beginning), as: UTF8.self).lowercased()
        let page = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        guard page.hasPrefix("<!doctype html") || page.hasPrefix("<html") || page.contains("<html ")
        else { return nil }
        return .content(
            "the answer is a web page, such as one to sign in, or one of a proxy or of the wrong address"
        )
    }
}
