package import GatePolicy

/// A test suite file and the rules that it tests, both loaded and valid.
package struct TestSuite: Sendable {
    /// The path of the file as given by the operator.
    package let path: String
    fileprivate let ruleSet: RuleSet
    fileprivate let tests: [Located<RuleTest>]

    package var count: Int { self.tests.count }

    /// Returns an error for each failed test, with its location.
    func failures(now: Timestamp) -> [RulesFileError] {
        self.tests.compactMap { test in
            self.ruleSet.run(test.value, now: now).map { failure in
                let message = "the test '\(test.value.name)' fails: \(failure.message)"
                return RulesFileError(test.place, message)
            }
        }
    }

    /// Runs all tests; tests without `at` run at the given time and after every upcoming change.
    package func run(now: Timestamp) -> TestSuiteReport {
        let cases = self.tests.map { test in
            TestSuiteReport.Case(
                name: test.value.name,
                place: "\(test.place)",
                failure: self.ruleSet.run(test.value, now: now)
            )
        }
        return TestSuiteReport(suite: self.path, cases: cases)
    }
}

/// Loads test suites, each with the rules that it tests.
package struct TestSuiteLoader: Sendable {
    private let rules: String?
    private let feedKinds: FeedKinds
    private let now: @Sendable () -> Timestamp

    /// Creates a loader; nothing is read yet.
    ///
    /// - Parameters:
    ///   - rules: The path of the rules to test, which overrides the path in the suites; `nil` to
    ///     use the path in each suite.
    ///   - feedKinds: The supported kinds of feeds.
    ///   - now: The time for tests without `at`.
    package init(
        rules: String?,
        feedKinds: FeedKinds,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.rules = rules
        self.feedKinds = feedKinds
        self.now = now
    }

    /// Loads a test suite, or all suites in a folder in the order of their names, and the rules
    /// under test.
    package func load(path: String) throws(RulesFileErrors) -> [TestSuite] {
        try self.load(try RulesReader(path: path).read())
    }

    func load(_ sources: [RulesSource]) throws(RulesFileErrors) -> [TestSuite] {
        var suites: [TestSuite] = []
        var errors: [RulesFileError] = []
        for source in sources {
            do throws(RulesFileErrors) {
                suites.append(try self.load(source))
            } catch {
                errors += error.errors
            }
        }
        guard errors.isEmpty else { throw RulesFileErrors(errors) }
        return suites
    }

    private func load(_ source: RulesSource) throws(RulesFileErrors) -> TestSuite {
        let problems = Problems()
        let document = source.parsed(problems)
            .flatMap { SuiteDecoder(problems: problems).decode($0) }
        guard let document, problems.isEmpty else { throw self.errors(problems, source) }
        guard let path = self.rules ?? document.rules.map({ self.path($0, beside: source) }) else {
            let message = "a test suite needs 'rules' or the option --rules"
            throw RulesFileErrors(RulesFileError(file: source.name, message: message))
        }
        let definition = try RulesFileLoader(
            path: path,
            feedKinds: self.feedKinds,
            now: self.now
        ).load().definition
        document.tests.checkReferences(to: definition.rules.map(\.id), problems)
        for test in document.tests { test.request.check(against: definition.identity, problems) }
        self.checkNames(document.tests.map(\.name), problems)
        guard problems.isEmpty else { throw self.errors(problems, source) }
        return TestSuite(
            path: source.name,
            ruleSet: RuleSet(definition),
            tests: document.tests.map { test in
                Located(value: RuleTest(test, definition.identity), place: test.name.place)
            }
        )
    }

    private func errors(_ problems: Problems, _ source: RulesSource) -> RulesFileErrors {
        RulesFileErrors(problems.sorted(byFiles: [source.name]))
    }

    /// Resolves a path relative to the folder of the suite.
    private func path(_ path: String, beside source: RulesSource) -> String {
        guard !path.hasPrefix("/"), let slash = source.name.lastIndex(of: "/") else { return path }
        return source.name[...slash] + path
    }

    private func checkNames(_ names: [Located<String>], _ problems: Problems) {
        var places: [String: Place] = [:]
        for name in names {
            guard let first = places.updateValue(name.place, forKey: name.value) else { continue }
            let message = "there is already a test '\(name.value)' on line \(first.line)"
            problems.report(message, at: name.place)
        }
    }
}
