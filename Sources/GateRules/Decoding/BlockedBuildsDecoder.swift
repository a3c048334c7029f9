internal import GatePolicy

/// Decodes `blockedBuilds`: build numbers, ranges, or ranges limited to versions and string
/// patterns.
struct BlockedBuildsDecoder {
    private static let patterns = [
        "versionMatches", "versionMatchesNone", "buildMatches", "buildMatchesNone",
    ]
    private static let keys = ["version", "build"] + patterns

    let problems: Problems

    func decode(_ fields: Fields) -> [BlockedBuilds] {
        fields["blockedBuilds"]?.oneOrMore(self.problems).compactMap { self.entry($0) } ?? []
    }

    private func entry(_ element: Element) -> BlockedBuilds? {
        guard case .mapping = element.content else {
            return element.buildRange(self.problems).map { BlockedBuilds($0) }
        }
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        let dependsOnNotation = Self.patterns.contains { fields[$0] != nil }
        let builds =
            dependsOnNotation
            ? fields["build"] : fields.required("build", of: "an entry of 'blockedBuilds'")
        let numbers = builds.map { $0.buildRange(self.problems) }
        let versions = fields["version"].map { $0.versionRange(self.problems) }
        let written = WrittenForm(
            version: self.patterns(fields, "versionMatches"),
            build: self.patterns(fields, "buildMatches")
        )
        // Skipping only the invalid part would block more than intended.
        if case .some(nil) = numbers { return nil }
        if case .some(nil) = versions { return nil }
        guard numbers != nil || !written.isAny else { return nil }
        return BlockedBuilds(numbers ?? nil, of: versions ?? nil, written: written)
    }

    private func patterns(_ fields: Fields, _ key: String) -> WrittenForm.Patterns {
        func list(_ key: String) -> [WrittenPattern] {
            fields[key]?.oneOrMore(self.problems).compactMap { element in
                element.parsed(as: "a pattern", self.problems, by: WrittenPattern.init(parsing:))
            } ?? []
        }
        return WrittenForm.Patterns(all: list(key), none: list(key + "None"))
    }
}

extension Element {
    /// Decodes a build number, or a string with comparisons.
    func buildRange(_ problems: Problems) -> BuildRange? {
        if case .number = self.content {
            return self.build(problems).map { BuildRange($0) }
        }
        return self.parsed(as: "a build range", problems, by: BuildRange.init(parsing:))
    }
}
