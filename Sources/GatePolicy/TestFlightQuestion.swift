/// The questions of a TestFlight build about the builds that there are.
package enum TestFlightQuestion: Sendable, Equatable {
    /// Which build is the newest that an audience can install.
    case latest(TestAudience)
    /// The audience of a version.
    case audience
}

/// The asking build, and the one that it asks about; what it does not say is looked up in its
/// identity.
package struct TestFlightSubject: Sendable, Equatable {
    package var identity: ClientIdentity
    /// In place of what the identity says.
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

    /// The version and the build that are asked about; `nil` if they are not there, or cannot be
    /// read: then any answer would be a guess.
    fileprivate var asked: (version: AppVersion, build: AppVersion?)? {
        // One that cannot be read is not replaced by another one.
        let version: AppVersion? =
            if let text = self.version { try? AppVersion(parsing: text) } else {
                self.identity.version.value
            }
        guard let version else { return nil }
        // A version that the client does not have says nothing of the build that it has.
        let own = self.version == nil ? self.identity.build.value.map { "\($0)" } : nil
        guard let text = self.build ?? own else { return (version, nil) }
        guard let build = try? AppVersion(parsing: text) else { return nil }
        return (version, build)
    }
}

extension RuleSet {
    /// Whether anything is known of TestFlight builds.
    package var knowsTestFlight: Bool { !self.definition.testFlight.isEmpty }

    /// The answer to a question about TestFlight builds: one JSON object (RFC 8259).
    ///
    /// A fact that nobody knows is `unknown`, or has no version; it never becomes a reason to
    /// update.
    ///
    /// - Parameters:
    ///   - question: What is asked.
    ///   - subject: Who asks.
    ///   - confirmed: By feed, when it last said that what it says is true.
    ///   - now: The time.
    /// - Returns: The content.
    package func testFlight(
        _ question: TestFlightQuestion,
        of subject: TestFlightSubject,
        confirmed: [String: Timestamp],
        at now: Timestamp
    ) -> [UInt8] {
        // With several apps, a client that does not say whose it is could be of each of them.
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
