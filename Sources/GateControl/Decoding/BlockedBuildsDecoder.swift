internal import GatePolicy

/// Reads `blockedBuilds`: numbers, ranges, or ranges of certain versions.
struct BlockedBuildsDecoder {
    private static let keys = ["version", "build"]

    let problems: Problems

    func decode(_ fields: Fields) -> [BlockedBuilds] {
        fields["blockedBuilds"]?.oneOrMore(self.problems).compactMap { self.entry($0) } ?? []
    }

    private func entry(_ element: Element) -> BlockedBuilds? {
        guard case .mapping = element.content else {
            return self.range(element).map { BlockedBuilds($0) }
        }
        let fields = Fields(element, keys: Self.keys, problems: self.problems)
        guard let fields else { return nil }
        let builds = fields.required("build", of: "an entry of 'blockedBuilds'")
            .flatMap { self.range($0) }
        guard let element = fields["version"] else {
            return builds.map { BlockedBuilds($0) }
        }
        let versions = element.parsed(
            as: "a version range",
            self.problems,
            hint: RangeSpelling.hint(for:),
            by: VersionRange.init(parsing:)
        )
        guard let builds, let versions else { return nil }
        return BlockedBuilds(builds, of: versions)
    }

    /// A number, or a text with comparisons.
    private func range(_ element: Element) -> BuildRange? {
        if case .number = element.content {
            return element.wholeNumber("a build number", self.problems).map { BuildRange($0...$0) }
        }
        return element.parsed(as: "a range of builds", self.problems, by: BuildRange.init(parsing:))
    }
}
