/// The results of `check` for several paths, each with its own rules or test suites.
package struct CheckReport: Sendable, Equatable {
    /// An error or a finding, and its location.
    package struct Problem: Sendable, Equatable {
        package enum Severity: String, Sendable {
            case error
            case warning
            case note
        }

        let severity: Severity
        let error: RulesFileError
        /// The stable name of the finding; `nil` if the problem is an error.
        var name: FindingName?
    }

    /// The kind of content at a path.
    package enum Content: Sendable, Equatable {
        case rules(count: Int, notices: Int, revision: String)
        case suites(tests: Int)
        /// The content could not be read.
        case broken
    }

    /// A path and the problems found in it.
    package struct Subject: Sendable, Equatable {
        package let path: String
        package let content: Content
        package let problems: [Problem]

        package var isGood: Bool {
            self.content != .broken && !self.problems.contains { $0.severity == .error }
        }
    }

    package let subjects: [Subject]

    package init(_ subjects: [Subject]) {
        self.subjects = subjects
    }

    /// Creates a report of errors in the active rules that prevent a comparison.
    package init(unreadable path: String, _ errors: RulesFileErrors) {
        self.init([Subject(unreadable: path, errors)])
    }

    package var isGood: Bool { self.subjects.allSatisfy(\.isGood) }
    var problems: [Problem] { self.subjects.flatMap(\.problems) }
}

/// The text output of `check`.
extension CheckReport {
    /// A line for each path without errors, followed by its warnings and notes.
    package var lines: [String] {
        self.subjects.filter(\.isGood).flatMap { subject in
            ["\(subject.path): ok (\(subject.summary))"] + subject.problems.map(\.line)
        }
    }

    /// A line for each error; the warnings and notes on paths with errors are omitted.
    package var errorLines: [String] {
        self.subjects.filter { !$0.isGood }.flatMap { subject in
            subject.problems.filter { $0.severity == .error }.map(\.errorLine)
        }
    }
}

extension CheckReport.Subject {
    init(unreadable path: String, _ errors: RulesFileErrors) {
        let problems = errors.errors.map { CheckReport.Problem(severity: .error, error: $0) }
        self.init(path: path, content: .broken, problems: problems)
    }

    fileprivate var summary: String {
        switch self.content {
        case .rules(let count, let notices, let revision):
            "\(count) rules, \(notices) notices, revision \(revision)"
        case .suites(let tests): "a test suite, \(tests) tests"
        case .broken: "nothing"
        }
    }
}

extension CheckReport.Problem {
    /// Creates a problem from a finding; `isStrict` turns a warning into an error.
    init(_ finding: Finding, isStrict: Bool) {
        let severity: Severity =
            switch finding.effect {
            case .refuses: .error
            case .warns: isStrict ? .error : .warning
            case .notes: .note
            }
        self.init(severity: severity, error: finding.asError, name: finding.name)
    }

    private var suffix: String { self.name.map { " [\($0.rawValue)]" } ?? "" }

    /// The problem as `file:line:col: warning: message [name]`, which editors and terminals show as
    /// a link.
    fileprivate var line: String {
        self.error.described(as: self.severity.rawValue) + self.suffix
    }

    fileprivate var errorLine: String { "\(self.error)\(self.suffix)" }
}

/// The GitHub workflow commands that annotate lines.
extension CheckReport {
    package var gitHubLines: [String] {
        self.problems.map { problem in
            let command = problem.severity == .note ? "notice" : problem.severity.rawValue
            let error = problem.error
            let title = problem.name.map { ",title=\(Self.property($0.rawValue))" } ?? ""
            return "::\(command) file=\(Self.property(error.file)),line=\(error.line),"
                + "col=\(error.column)\(title)::\(Self.data(error.message))"
        }
    }

    private static func data(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }

    private static func property(_ text: String) -> String {
        self.data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
    }
}

extension CheckReport: Encodable {
    private enum Key: String, CodingKey {
        case ok, revision, rules, errors, warnings, notes, paths
        case path, kind, tests
        case file, line, column, message, name
    }

    /// Encodes all problems, and the kind of content at each path; for a single path, also the revision and the number
    /// of rules.
    package func encode(to encoder: any Encoder) throws {
        var report = encoder.container(keyedBy: Key.self)
        try report.encode(self.isGood, forKey: .ok)
        if self.subjects.count == 1,
            case .rules(let count, _, let revision) = self.subjects[0].content
        {
            try report.encode(revision, forKey: .revision)
            try report.encode(count, forKey: .rules)
        }
        for (key, severity) in [
            (Key.errors, Problem.Severity.error), (.warnings, .warning), (.notes, .note),
        ] {
            var list = report.nestedUnkeyedContainer(forKey: key)
            for problem in self.problems where problem.severity == severity {
                var item = list.nestedContainer(keyedBy: Key.self)
                try item.encode(problem.error.file, forKey: .file)
                try item.encode(problem.error.line, forKey: .line)
                try item.encode(problem.error.column, forKey: .column)
                try item.encode(problem.error.message, forKey: .message)
                try item.encodeIfPresent(problem.name?.rawValue, forKey: .name)
            }
        }
        var paths = report.nestedUnkeyedContainer(forKey: .paths)
        for subject in self.subjects {
            var item = paths.nestedContainer(keyedBy: Key.self)
            try item.encode(subject.path, forKey: .path)
            try item.encode(subject.isGood, forKey: .ok)
            switch subject.content {
            case .rules(let count, _, let revision):
                try item.encode("rules", forKey: .kind)
                try item.encode(count, forKey: .rules)
                try item.encode(revision, forKey: .revision)
            case .suites(let tests):
                try item.encode("suite", forKey: .kind)
                try item.encode(tests, forKey: .tests)
            case .broken: break
            }
        }
    }
}
