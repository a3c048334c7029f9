import GateFeeds
import Foundation
import GatePolicy
import GateSystem
import GateTestSupport
import RulesTestSupport
import Testing

@testable import GateRules

/// The output of `check` for several paths, in each format.
struct CheckReportTests {
    private static let good = """
        rules:
          - { id: ios, match: { platform: ios }, minimum: "3.5.0", storeUrl: "https://a.example", notice: n }
        notices: { n: { en: { title: t, message: m } } }

        """

    private func report(
        _ files: KeyValuePairs<String, String>,
        isStrict: Bool = false
    ) throws -> CheckReport {
        let folder = try TestFolder()
        for (name, text) in files {
            try Data(text.utf8).write(to: URL(filePath: folder.path(of: name)))
        }
        let check = PathCheck(feedKinds: .all, isStrict: isStrict, now: SystemClock.now())
        let report = CheckReport(files.map { check.check(folder.path(of: $0.key)) })
        // Only the file names are compared.
        return CheckReport(
            report.subjects.map { subject in
                CheckReport.Subject(
                    path: subject.path.replacing(folder.path(of: ""), with: ""),
                    content: subject.content,
                    problems: subject.problems.map { problem in
                        let error = problem.error
                        return CheckReport.Problem(
                            severity: problem.severity,
                            error: RulesFileError(
                                file: error.file.replacing(folder.path(of: ""), with: ""),
                                line: error.line,
                                column: error.column,
                                message: error.message.replacing(folder.path(of: ""), with: "")
                            ),
                            name: problem.name
                        )
                    }
                )
            }
        )
    }

    @Test func `rules files and test suites are distinguished and checked`() throws {
        let report = try self.report([
            "rules.yaml": Self.good,
            "suite.yaml": """
            rules: rules.yaml
            tests:
              - { name: met, request: { platform: ios, version: "3.4" }, expect: { decision: require } }
              - { name: unmet, request: { platform: ios, version: "3.4" }, expect: { decision: allow } }
            """,
            "warned.yaml": Self.good.replacing("https://a", with: "http://a"),
            "broken.yaml": "rules: { ios: { minimum: \"1\" } }",
        ])
        #expect(!report.isGood)
        #expect(report.subjects.map(\.isGood) == [true, false, true, false])
        #expect(
            report.lines.map { $0.prefix { $0 != "(" } } == [
                "rules.yaml: ok ", "warned.yaml: ok ",
                "warned.yaml:2:60: warning: the store URL 'http://a.example' is not HTTPS [insecure-link]",
            ]
        )
        #expect(
            report.errorLines == [
                "suite.yaml:4:13: the test 'unmet' fails: expected decision allow, got require by rule ios "
                    + "(the version is below the minimum)",
                "broken.yaml:1:8: expected a list, found a mapping; begin each rule with a hyphen and its "
                    + "name: '- id: ios'",
            ]
        )
    }

    @Test func `a strict check treats warnings as errors`() throws {
        let files: KeyValuePairs = ["a.yaml": Self.good.replacing("https://a", with: "http://a")]
        #expect(try self.report(files).isGood)
        let strict = try self.report(files, isStrict: true)
        #expect(!strict.isGood)
        #expect(strict.lines == [])
        #expect(
            strict.errorLines == [
                "a.yaml:2:60: the store URL 'http://a.example' is not HTTPS [insecure-link]"
            ]
        )
    }

    @Test func `GitHub annotations are escaped`() throws {
        let problems = [
            CheckReport.Problem(
                severity: .warning,
                error: RulesFileError(
                    file: "a:b,c.yaml",
                    line: 3,
                    column: 5,
                    message: "100 % of 'x'"
                ),
                name: .stalledRollout
            ),
            CheckReport.Problem(
                severity: .note,
                error: RulesFileError(file: "a.yaml", message: "a::b, c")
            ),
            CheckReport.Problem(
                severity: .error,
                error: RulesFileError(file: "a.yaml", message: "é")
            ),
        ]
        let report = CheckReport([.init(path: "p", content: .broken, problems: problems)])
        #expect(
            report.gitHubLines == [
                "::warning file=a%3Ab%2Cc.yaml,line=3,col=5,title=stalled-rollout::100 %25 of 'x'",
                "::notice file=a.yaml,line=1,col=1::a::b, c",
                "::error file=a.yaml,line=1,col=1::é",
            ]
        )
    }

    @Test func `SARIF results have their rule, level and location`() throws {
        let problems = [
            CheckReport.Problem(
                severity: .warning,
                error: RulesFileError(file: "./rules/ä b.yaml", line: 3, column: 5, message: "m"),
                name: .stalledRollout
            ),
            CheckReport.Problem(
                severity: .error,
                error: RulesFileError(file: "a.yaml", message: "n")
            ),
        ]
        let report = CheckReport([.init(path: "p", content: .broken, problems: problems)])
        let data = try JSONEncoder().encode(SARIFLog(report, release: "1.2.3"))
        let log = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(log["version"] as? String == "2.1.0")
        let run = try #require((log["runs"] as? [[String: Any]])?.first)
        let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
        #expect(driver["name"] as? String == "versiongate")
        #expect(driver["version"] as? String == "1.2.3")
        let rules = try #require(driver["rules"] as? [[String: String]])
        #expect(rules == [["id": "stalled-rollout"], ["id": "unreadable"]])
        let results = try #require(run["results"] as? [[String: Any]])
        #expect(results.map { $0["level"] as? String } == ["warning", "error"])
        #expect(results.map { $0["ruleId"] as? String } == ["stalled-rollout", "unreadable"])
        let location = (results[0]["locations"] as? [[String: Any]])?.first
        let physical = try #require(location?["physicalLocation"] as? [String: Any])
        let artifact = physical["artifactLocation"] as? [String: String]
        #expect(artifact == ["uri": "rules/%C3%A4%20b.yaml"])
        #expect(physical["region"] as? [String: Int] == ["startLine": 3, "startColumn": 5])
    }

    @Test func `a suite loaded as rules, or rules loaded as a suite, are reported in one line`()
        throws
    {
        let folder = try TestFolder()
        try Data(Self.good.utf8).write(to: URL(filePath: folder.path(of: "rules.yaml")))
        let path = folder.path(of: "rules.yaml")
        let errors = #expect(throws: RulesFileErrors.self) {
            try TestSuiteLoader(rules: nil, feedKinds: .all, now: SystemClock.now).load(path: path)
        }
        #expect(
            errors?.errors.map(\.message) == [
                "this is a rules file, not a test suite: 'versiongate check \(path)' runs its own tests; "
                    + "a suite has 'rules: \(path)' and 'tests'"
            ]
        )
        let suite = "rules: rules.yaml\ntests: []\n"
        let wrong = #expect(throws: RulesFileErrors.self) {
            try RulesFileLoader.load(sources: [("suite.yaml", suite)])
        }
        #expect(
            wrong?.errors.map(\.message) == [
                "expected a list, found the string 'rules.yaml'; a file with 'rules: rules.yaml' is a test "
                    + "suite, for 'versiongate test'"
            ]
        )
    }
}
