internal import GatePolicy
internal import GateRules

/// Decodes the fields of a source; fields that are `null` or empty are treated as absent.
extension JSONValue {
    /// Returns the value at a path.
    ///
    /// - Throws: `FeedFailure` if a pointer refers into a string that is not JSON.
    func value(at path: String) throws(FeedFailure) -> JSONValue? {
        switch self.lookup(path) {
        case .absent: return nil
        case .found(let value): return value
        case .broken(let reason):
            throw .content("'\(path)' cannot be read: the string is \(reason)")
        }
    }

    /// Returns the value at a path, decoded by `reader`; `nil` if the value is missing or empty.
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

    /// Returns a string, or the only string in a list: microCMS sends select fields as lists.
    func text(at path: String) throws(FeedFailure) -> String? {
        try self.read(path, SourceValue.text)
    }

    /// Returns a version, such as `3.5.0`.
    func version(at path: String) throws(FeedFailure) -> AppVersion? {
        try self.read(path, SourceValue.version)
    }

    /// Returns a build, such as `41200` or `93.1`.
    func build(at path: String) throws(FeedFailure) -> BuildNumber? {
        try self.read(path, SourceValue.build)
    }

    /// Returns a point in time, which must be given with its offset from UTC.
    func time(at path: String) throws(FeedFailure) -> Timestamp? {
        try self.read(path, SourceValue.time)
    }

    /// Returns a text in all available languages, from a single field or from one field for each language.
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

    /// Returns the maintenance settings in the mapped fields; `nil` if `fields` maps none.
    func maintenance(
        _ names: FieldNames,
        in language: LanguageTag
    ) throws(FeedFailure) -> SourceMaintenance? {
        guard SourceMaintenance.fields.contains(where: { names.isGiven($0.name) }) else {
            return nil
        }
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
        for (field, part) in SourceMaintenance.texts where names.isGiven(field) {
            maintenance.words[keyPath: part] = try self.words(field, names, in: language)
        }
        return maintenance
    }

    /// Parses the body of a response.
    static func body(_ bytes: [UInt8]) throws(FeedFailure) -> JSONValue {
        do {
            return try JSONParser.parse(bytes)
        } catch {
            throw FeedFailure.webPage(bytes) ?? .content("the response is \(error)")
        }
    }

    /// The text of a number or a string, because some APIs encode 64-bit numbers as strings; `nil`
    /// for other values.
    var digits: String? {
        switch self {
        case .number(let text), .text(let text): text
        case .null, .boolean, .list, .object: nil
        }
    }

    var wholeNumber: Int64? {
        guard case .number(let text) = self else { return nil }
        return Int64(text)
    }

    /// Returns the JSON value in a string that starts with `mark`; for any other value, returns the
    /// value itself.
    func unfolded(from mark: Character) -> JSONValue {
        guard case .text(let text) = self, text.first == mark,
            let value = try? JSONParser.parse(Array(text.utf8))
        else { return self }
        return value
    }
}

extension FeedFailure {
    /// Creates the failure for a value that does not fit its field.
    static func fault(_ fault: SourceValue.Fault, at path: String) -> FeedFailure {
        switch fault {
        case .unfit(let reason): .content("'\(path)' \(reason)")
        case .unreadable(let noun, _, let reason):
            .content("'\(path)' is not a valid \(noun): \(reason)")
        }
    }

    /// The number of bytes that are checked for HTML.
    private static let beginning = 512

    /// Creates the failure for a response that is an HTML page; returns `nil` for other responses.
    static func webPage(_ body: [UInt8]) -> FeedFailure? {
        let text = String(decoding: body.prefix(Self.beginning), as: UTF8.self).lowercased()
        let page = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        guard page.hasPrefix("<!doctype html") || page.hasPrefix("<html") || page.contains("<html ")
        else { return nil }
        return .content(
            "the response is an HTML page; check the URL, the credentials and the proxy"
        )
    }
}
