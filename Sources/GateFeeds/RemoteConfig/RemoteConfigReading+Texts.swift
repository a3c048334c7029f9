internal import GatePolicy
internal import GateRules

/// What a template says besides versions and builds: it has to be the same for every version, since the
/// rules that it goes into are.
extension RemoteConfigReading {
    /// A text that is the same for every client.
    mutating func text(_ path: String) -> String? {
        guard let named = self.parameter(path) else { return nil }
        guard let value = self.uniform(named) else { return nil }
        return (try? SourceValue.text(value)).flatMap(\.self)
    }

    /// A text in each language: by conditions on the language of the device, or by an object that has them.
    ///
    /// - Parameters:
    ///   - path: The parameter.
    ///   - language: The language of a text that is in no other.
    /// - Returns: The texts; none if there is no parameter, or if it differs by anything else.
    mutating func words(_ path: String, in language: LanguageTag) -> [LanguageTag: String] {
        guard let named = self.parameter(path) else { return [:] }
        let asked = self.template.conditions
            .filter { named.parameter.conditionalValues[$0.name] != nil }
            .reduce(into: Set<String>()) { $0.formUnion($1.condition.languages) }
        let others = asked.sorted().compactMap { LanguageTag(language: $0) }
            .filter { $0 != language }
        var words: [LanguageTag: String] = [:]
        for language in [language] + others {
            self.client.language = language
            defer { self.client.language = nil }
            guard let value = self.uniform(named) else { return [:] }
            do throws(SourceValue.Fault) {
                words.merge(try SourceValue.words(value.unfolded, in: language)) { first, _ in first
                }
            } catch {
                self.note("\(RemoteConfigError(error, path)): it is not used")
                return [:]
            }
        }
        return words
    }

    /// A value that is certain for every client, whatever its version and build; `nil` if there is none,
    /// with a note if it differs.
    private mutating func uniform(_ named: Named) -> JSONValue? {
        // What these leave open is told of here, and is no reason for the lowest version to count.
        var reading = RemoteConfigReading(template: self.template, client: self.client)
        var values: [JSONValue?] = []
        for piece in reading.pieces(of: [named]) {
            values.append((try? reading.certain(named, in: piece)).flatMap(\.self))
        }
        if reading.undecided.isEmpty, let value = values.first, values.allSatisfy({ $0 == value }) {
            return value
        }
        self.note("'\(named.name)' has conditions, and is not used: write it into 'rule'")
        return nil
    }

    /// The maintenance that parameters state; `nil` if `fields` names none that is there.
    mutating func maintenance(
        _ names: FieldNames,
        in language: LanguageTag
    ) throws(RemoteConfigError) -> SourceMaintenance? {
        var maintenance: SourceMaintenance?
        if let path = names.given(SourceMaintenance.switchField), let named = self.parameter(path) {
            maintenance = try self.maintenanceSwitch(named, in: language)
        }
        if let path = names.given(SourceMaintenance.fromField), self.parameter(path) != nil {
            maintenance = maintenance ?? SourceMaintenance()
            maintenance?.from = try self.time(path)
        }
        if let path = names.given(SourceMaintenance.untilField), self.parameter(path) != nil {
            maintenance = maintenance ?? SourceMaintenance()
            maintenance?.until = try self.time(path)
        }
        guard maintenance != nil else { return nil }
        if names.isGiven(SourceMaintenance.titleField) {
            maintenance?.words.title = self.words(SourceMaintenance.titleField, names, in: language)
        }
        if names.isGiven(SourceMaintenance.messageField) {
            maintenance?.words.message = self.words(
                SourceMaintenance.messageField,
                names,
                in: language
            )
        }
        return maintenance
    }

    /// Words of a field, which may have a parameter for each language.
    mutating func words(
        _ field: String,
        _ names: FieldNames,
        in language: LanguageTag
    ) -> [LanguageTag: String] {
        guard let named = names.words(field) else { return self.words(names[field], in: language) }
        var words: [LanguageTag: String] = [:]
        for name in named { words[name.language] = self.text(name.path) }
        return words
    }

    /// A maintenance is for every version: a switch that is off for some of them is off.
    private mutating func maintenanceSwitch(
        _ named: Named,
        in language: LanguageTag
    ) throws(RemoteConfigError) -> SourceMaintenance {
        var reading = RemoteConfigReading(template: self.template, client: self.client)
        var stated: [SourceMaintenance] = []
        for piece in reading.pieces(of: [named]) {
            guard let value = try reading.certain(named, in: piece) else {
                stated.append(SourceMaintenance(isOn: false))
                continue
            }
            do throws(SourceValue.Fault) {
                stated.append(try SourceMaintenance.reading(value.unfolded, in: language))
            } catch {
                throw RemoteConfigError(error, named.name)
            }
        }
        for name in reading.undecided {
            self.note(
                "only Firebase knows whether '\(name)' holds: what '\(named.name)' is there does not count"
            )
        }
        for note in reading.notes { self.note(note) }
        guard let first = stated.first, stated.allSatisfy({ $0 == first }) else {
            self.note(
                "'\(named.name)' differs by version or build: a maintenance is for all of them, so that it "
                    + "counts as off"
            )
            return SourceMaintenance(isOn: false)
        }
        return first
    }

    private mutating func time(_ path: String) throws(RemoteConfigError) -> Timestamp? {
        guard let text = self.text(path) else { return nil }
        do throws(SourceValue.Fault) {
            return try SourceValue.time(.text(text))
        } catch {
            throw RemoteConfigError(error, path)
        }
    }
}

extension JSONValue {
    /// The object that a parameter holds as a text, or else the value.
    fileprivate var unfolded: JSONValue {
        guard case .text(let text) = self, text.first == "{",
            let value = try? JSONParser.parse(Array(text.utf8))
        else { return self }
        return value
    }
}
