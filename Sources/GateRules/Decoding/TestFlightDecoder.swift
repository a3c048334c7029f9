internal import GatePolicy

/// Decodes an entry of `testFlight`: the builds of an app that are available to testers.
struct TestFlightDecoder {
    static let keys = ["app", "platform", "feed", "words", "builds"]
    static let buildKeys = ["version", "build", "audience", "testing", "expiresAt", "releaseNotes"]

    let problems: Problems

    func decode(_ element: Element) -> TestFlightApp? {
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        let platform = fields.required("platform", of: "a TestFlight app")
            .flatMap { $0.text("a platform", self.problems) }
        let builds = fields.required("builds", of: "a TestFlight app")
            .flatMap { $0.list(self.problems) }
            .map { $0.compactMap { self.build($0) } }
        let app = fields["app"].flatMap { $0.text("an app identifier", self.problems) }
        let feed = fields["feed"].flatMap { $0.text("a feed id", self.problems) }
        let words = fields.choice("words", of: TestAudience.Words.self)
        guard let platform, let builds else { return nil }
        return TestFlightApp(
            app: app,
            platform: Platform(platform),
            feed: feed,
            words: words ?? .own,
            builds: builds
        )
    }

    private func build(_ element: Element) -> TestFlightBuild? {
        guard let fields = Fields(element, Self.buildKeys, self.problems) else { return nil }
        let version = fields.required("version", of: "a build")
            .flatMap { $0.version(self.problems) }
        let build = fields.required("build", of: "a build").flatMap { element in
            element.parsed(as: "a build number", self.problems, by: AppVersion.init(parsing:))
        }
        let audience = fields.required("audience", of: "a build")
            .flatMap { $0.choice(of: TestAudience.self, self.problems) }
        let isTesting = fields["testing"].flatMap { $0.truth(self.problems) } ?? true
        let expiresAt = fields["expiresAt"].flatMap { $0.time(self.problems) }
        let notes = fields["releaseNotes"].map { self.releaseNotes($0) } ?? [:]
        guard let version, let build, let audience else { return nil }
        return TestFlightBuild(
            version: version,
            build: build,
            audience: audience,
            isTesting: isTesting,
            expiresAt: expiresAt,
            releaseNotes: notes
        )
    }

    /// Decodes the release notes in each language.
    private func releaseNotes(_ element: Element) -> [LanguageTag: String] {
        var notes: [LanguageTag: String] = [:]
        for entry in element.entries(self.problems) ?? [] {
            guard
                let language = LanguageTag(entry.key)
                    ?? self.problems.reject(language: entry.key, at: entry.place)
            else { continue }
            notes[language] = entry.value.text("release notes", self.problems)
        }
        return notes
    }
}
