/// The queries that a TestFlight build can send.
package enum TestFlightQuery: Sendable, Equatable {
    /// A query for the newest build that an audience can install.
    case latest(TestAudience)
    /// A query for the audience of a version.
    case audience
}

/// The build that sends a query, and the build that the query is about.
///
/// Missing values are taken from the sender's identity.
package struct TestFlightSubject: Sendable, Equatable {
    package var identity: ClientIdentity
    /// The app that the query is about; `nil` means the app in the sender's identity.
    ///
    /// `version` and `build` override the identity in the same way.
    package var app: String?
    package var version: String?
    package var build: String?

    package init(
        identity: ClientIdentity,
        app: String? = nil,
        version: String? = nil,
        build: String? = nil
    ) {
        self.identity = identity
        self.app = app
        self.version = version
        self.build = build
    }

    fileprivate func isFor(_ testFlight: TestFlightApp) -> Bool {
        let app = self.app ?? self.identity.app.value
        return (app == nil || testFlight.app == nil || testFlight.app == app)
            && (self.identity.platform.value.map { $0 == testFlight.platform } ?? true)
    }

    /// The version and build that the query is about.
    ///
    /// `nil` if the version is missing, or if the version or the build is unparsable, because any
    /// result would be a guess.
    fileprivate var asked: (version: AppVersion, build: AppVersion?)? {
        // A value from the identity never replaces an unparsable value in the query.
        let version: AppVersion? =
            if let text = self.version { try? AppVersion(parsing: text) } else {
                self.identity.version.value
            }
        guard let version else { return nil }
        // The client's own build does not belong to a different version.
        let own = self.version == nil ? self.identity.build.value.map { "\($0)" } : nil
        guard let text = self.build ?? own else { return (version, nil) }
        guard let build = try? AppVersion(parsing: text) else { return nil }
        return (version, build)
    }
}

extension RuleSet {
    /// Whether the rules contain TestFlight builds.
    package var hasTestFlightBuilds: Bool { !self.definition.testFlight.isEmpty }

    /// Returns the response to a query about TestFlight builds: one JSON object (RFC 8259).
    ///
    /// Unknown values are `unknown` or omitted, so that they never cause an update. `confirmed`
    /// contains the times at which feeds last confirmed their content, by feed.
    package func testFlight(
        _ question: TestFlightQuery,
        of subject: TestFlightSubject,
        confirmed: [String: Timestamp],
        at now: Timestamp
    ) -> [UInt8] {
        // If there are several apps, a client that does not send its app could be using any of
        // them.
        let apps = self.definition.testFlight.filter { subject.isFor($0) }
        let app = apps.count == 1 ? apps.first : nil
        let words = app?.words ?? .own
        var object = JSONObject()
        switch question {
        case .latest(let audience):
            let build = app?.latest(audience, at: now)
            object.add("audience", audience.word(in: words))
            object.add("version", build?.version.description)
            object.add("build", build?.build.description)
            object.add("expiresAt", build?.expiresAt?.description)
            let notes = build?.releaseNotes(
                for: subject.identity.languages,
                fallback: self.definition.defaultLanguage
            )
            object.add("releaseNotes", notes)
        case .audience:
            let asked = subject.asked
            let audience = asked.flatMap { asked in
                app?.audience(ofVersion: asked.version, build: asked.build)
            }
            object.add("audience", audience?.word(in: words) ?? "unknown")
            object.add("version", asked?.version.description)
            object.add("build", asked?.build?.description)
        }
        if let time = app?.feed.flatMap({ confirmed[$0] }) {
            object.add("confirmedAt", time.description)
            object.add("ageSeconds", max(0, time.seconds(until: now)))
        }
        return object.bytes
    }
}
