internal import GatePolicy
internal import GateRules

/// Reads texts and maintenance settings from a template.
///
/// Both must be the same for all versions, because a rule has the same texts for all of its
/// clients.
extension RemoteConfigEvaluation {
    /// Returns a text that is the same for all clients; `nil` if there is none.
    mutating func text(_ path: String) -> String? {
        guard let named = self.parameter(path) else { return nil }
        guard let value = self.uniform(named) else { return nil }
        return (try? SourceValue.text(value)).flatMap(\.self)
    }

    /// Returns a text in all available languages, from conditions on the device language, or from
    /// an object with one text per language.
    ///
    /// `language` is the language of a text without a stated language. The result is empty if there
    /// is no parameter, or if its value depends on other conditions.
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
                let stated = try SourceValue.words(value.unfolded(from: "{"), in: language)
                words.merge(stated) { first, _ in first }
            } catch {
                self.note("\(RemoteConfigError(error, path)): the parameter is not used")
                return [:]
            }
        }
        return words
    }

    /// Returns the value that is certain for all clients, regardless of their version and build.
    ///
    /// The result is `nil` if there is no such value. If clients have different values, a note is
    /// added.
    private mutating func uniform(_ named: Named) -> JSONValue? {
        // A separate evaluation keeps these conditions out of `undecided`; otherwise, a note would
        // state that the lowest version applies.
        var reading = RemoteConfigEvaluation(template: self.template, client: self.client)
        var values: [JSONValue?] = []
        for piece in reading.pieces(of: [named]) {
            values.append((try? reading.certain(named, in: piece)).flatMap(\.self))
        }
        if reading.undecided.isEmpty, let value = values.first, values.allSatisfy({ $0 == value }) {
            return value
        }
        self.note("'\(named.name)' has conditions, so it is ignored: set the value in 'rule'")
        return nil
    }

    /// Returns the maintenance settings in the mapped parameters; `nil` if no such parameter
    /// exists.
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
        for (field, part) in SourceMaintenance.texts where names.isGiven(field) {
            maintenance?.words[keyPath: part] = self.words(field, names, in: language)
        }
        return maintenance
    }

    /// Returns the texts of a field, which can be mapped to one parameter for each language.
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

    /// Returns the maintenance settings in the parameter of the switch.
    ///
    /// Maintenance applies to all versions and builds, so it counts as off if the value differs
    /// between them.
    private mutating func maintenanceSwitch(
        _ named: Named,
        in language: LanguageTag
    ) throws(RemoteConfigError) -> SourceMaintenance {
        var reading = RemoteConfigEvaluation(template: self.template, client: self.client)
        var stated: [SourceMaintenance] = []
        for piece in reading.pieces(of: [named]) {
            guard let value = try reading.certain(named, in: piece) else {
                stated.append(SourceMaintenance(isOn: false))
                continue
            }
            do throws(SourceValue.Fault) {
                let unfolded = value.unfolded(from: "{")
                stated.append(try SourceMaintenance.reading(unfolded, in: language))
            } catch {
                throw RemoteConfigError(error, named.name)
            }
        }
        for name in reading.undecided {
            self.note(
                "only Firebase can evaluate '\(name)': its value for '\(named.name)' is ignored"
            )
        }
        for note in reading.notes { self.note(note) }
        guard let first = stated.first, stated.allSatisfy({ $0 == first }) else {
            self.note(
                "'\(named.name)' differs by version or build, but maintenance applies to all "
                    + "versions and builds: maintenance is off"
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
