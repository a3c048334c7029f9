internal import GatePolicy
internal import GateRules

/// Decodes single values from a source; an empty value yields `nil`.
enum SourceValue {
    /// The reason why a value is invalid, to append to the name of its field.
    enum Fault: Error, Equatable {
        /// The value has the wrong type or is not permitted, such as a list of several values.
        case unfit(String)
        /// The value is a string that cannot be parsed as `noun`, such as a version.
        case unreadable(noun: String, text: String, reason: String)
    }

    /// Returns a string, or the only string in a list: microCMS sends select fields as lists.
    static func text(_ value: JSONValue) throws(Fault) -> String? {
        switch value {
        case .null, .text(""): return nil
        case .text(let text): return text
        case .list(let items) where items.isEmpty: return nil
        case .list(let items):
            guard items.count == 1, case .text(let text) = items[0] else {
                throw .unfit("must be one string, found a list of \(items.count)")
            }
            return text.isEmpty ? nil : text
        case .number, .boolean, .object:
            throw .unfit("must be a string, found \(value.found)")
        }
    }

    /// Returns a version, such as `3.5.0`; `nil` if the value is empty.
    static func version(_ value: JSONValue) throws(Fault) -> AppVersion? {
        if case .number(let digits) = value {
            let hint =
                digits.allSatisfy(\.isNumber)
                ? "; if it is a build, map it to the field for builds"
                : "; numbers lose trailing zeros (1.10 is 1.1): quote it"
            throw .unfit("must be a string, found the number \(digits)\(hint)")
        }
        guard let text = try self.text(value) else { return nil }
        do throws(VersionError) {
            return try AppVersion(parsing: text)
        } catch {
            throw .unreadable(noun: "version", text: text, reason: "\(error)")
        }
    }

    /// Returns a build: a whole number, or a string with up to four numbers.
    static func build(_ value: JSONValue) throws(Fault) -> BuildNumber? {
        let text: String
        switch value {
        case .number(let digits):
            guard digits.allSatisfy({ "0"..."9" ~= $0 }) else {
                throw .unfit(
                    "must be a build, found the number \(digits); numbers lose trailing zeros "
                        + "(93.10 is 93.1): quote it"
                )
            }
            text = digits
        case .null, .text, .list, .boolean, .object:
            guard let stated = try self.text(value) else { return nil }
            text = String(stated[...].trimmingBlanks)
        }
        do throws(VersionError) {
            return try BuildNumber(parsing: text)
        } catch {
            throw .unreadable(noun: "build", text: text, reason: "\(error)")
        }
    }

    /// Returns version ranges from a string or a list of strings.
    static func versionRanges(_ value: JSONValue) throws(Fault) -> [VersionRange] {
        try self.ranges(value, "version", VersionRange.init(parsing:))
    }

    /// Returns build ranges from a number, a string, or a list of numbers and strings.
    static func buildRanges(_ value: JSONValue) throws(Fault) -> [BuildRange] {
        try self.ranges(value, "build", BuildRange.init(parsing:))
    }

    private static func ranges<Range, Failure: Error>(
        _ value: JSONValue,
        _ noun: String,
        _ read: (String) throws(Failure) -> Range
    ) throws(Fault) -> [Range] {
        var ranges: [Range] = []
        for item in value.items ?? [value] {
            let text: String
            switch item {
            case .null, .text(""): continue
            case .text(let stated): text = stated
            case .number(let digits) where noun == "build" && digits.allSatisfy(\.isNumber):
                text = digits
            case .boolean, .number, .list, .object:
                throw .unfit("must be a \(noun) or a list of them, found \(item.found)")
            }
            do throws(Failure) {
                ranges.append(try read(text))
            } catch {
                throw .unreadable(noun: "\(noun) or \(noun) range", text: text, reason: "\(error)")
            }
        }
        return ranges
    }

    /// Returns a point in time, which must be given with its offset from UTC.
    static func time(_ value: JSONValue) throws(Fault) -> Timestamp? {
        guard let text = try self.text(value) else { return nil }
        do {
            return try Timestamp(parsing: text)
        } catch {
            throw .unreadable(noun: "time", text: text, reason: "\(error)")
        }
    }

    /// Returns whether a switch is on.
    ///
    /// In addition to Booleans, the strings that the Remote Config SDKs treat as Booleans are
    /// accepted. As in the SDKs, an empty string means off.
    static func isOn(_ value: JSONValue) throws(Fault) -> Bool {
        switch value {
        case .boolean(let isOn): return isOn
        case .number("1"): return true
        case .number("0"): return false
        case .list(let items) where items.count == 1: return try self.isOn(items[0])
        case .text(let text):
            let word = text.lowercased()
            if ["true", "t", "yes", "y", "on", "1"].contains(word) { return true }
            if ["false", "f", "no", "n", "off", "0", ""].contains(word) { return false }
            throw .unfit("must be true or false, found the string '\(text)'")
        case .null, .number, .list, .object:
            throw .unfit("must be true or false, found \(value.found)")
        }
    }

    /// Returns a text in all available languages, from an object such as `{"en": …, "ja": …}`, or
    /// from a single text in `language`.
    static func words(
        _ value: JSONValue,
        in language: LanguageTag
    ) throws(Fault) -> [LanguageTag: String] {
        guard case .object(let members) = value else {
            return try self.text(value).map { [language: $0] } ?? [:]
        }
        var words: [LanguageTag: String] = [:]
        for member in members {
            guard let tag = LanguageTag(language: member.name) else {
                throw .unfit(
                    "must be a string, or texts by language such as {\"en\": …}; '\(member.name)' is not "
                        + "a language"
                )
            }
            guard let text = try self.text(member.value) else { continue }
            words[tag] = text
        }
        return words
    }
}
