import GateFeeds
import Foundation
import GatePolicy
import GateSystem
import GateTestSupport
import Testing

@testable import GateRules

struct TestSuiteTests {
    private static let rules = """
        rules:
          - { id: ios, match: { platform: ios }, minimum: "3.5.0", storeUrl: "https://a.example" }
          - { id: late, minimum: "9", enforceFrom: 2030-01-01T00:00:00Z, storeUrl: "https://b.example" }

        """
    private let folder: TestFolder
    private let now: Timestamp

    init() throws {
        self.folder = try TestFolder()
        self.now = try Timestamp(parsing: "2027-01-01T00:00:00Z")
        try self.folder.write(Self.rules, to: "rules.yaml")
        try self.folder.makeFolder("suites")
    }

    private func load(_ path: String, rules: String? = nil) throws(RulesFileErrors) -> [TestSuite] {
        let now = self.now
        return try TestSuiteLoader(rules: rules, feedKinds: .all) { now }
            .load(path: self.folder.path(of: path))
    }

    private func reports(_ suite: String) throws -> [TestSuiteReport] {
        try self.folder.write(suite, to: "suites/a.yaml")
        return try self.load("suites").map { $0.run(now: self.now) }
    }

    /// Returns a suite's errors, without the test folder's path.
    private func errors(_ suite: String) throws -> [String] {
        try self.folder.write(suite, to: "suites/a.yaml")
        do throws(RulesFileErrors) {
            _ = try self.load("suites/a.yaml")
            return []
        } catch {
            let path = self.folder.path(of: "")
            return error.errors.map {
                $0.description.replacing(path, with: "").replacing("//", with: "/")
            }
        }
    }

    @Test func `a suite runs against its rules and reports the actual results`() throws {
        let reports = try self.reports(
            """
            rules: ../rules.yaml
            tests:
              - name: holds
                at: 2027-01-01T00:00:00Z
                request: { platform: ios, version: "3.4" }
                expect: { decision: require, rule: ios, storeUrl: https://a.example }
              - name: does not
                at: 2027-01-01T00:00:00Z
                request: { platform: ios, version: "3.5" }
                expect: { decision: require, rule: ios, status: 426, storeUrl: https://a.example }
              - name: not for ever
                request: { platform: ios, version: "3.5" }
                expect: { decision: allow }

            """
        )
        let path = self.folder.path(of: "suites/a.yaml")
        #expect(
            reports.map(\.description) == [
                """
                \(path): 3 tests, 2 failed
                  does not (\(path):7:11)
                    decision  expected  require by rule ios
                              got       allow
                    status    expected  426
                              got       none (the request passes)
                    storeUrl  expected  https://a.example
                              got       none
                    why       the client meets every rule that applies
                  not for ever (\(path):11:11)
                    decision  expected  allow
                              got       require by rule late
                    why       the version is below the minimum
                    from      2030-01-01T00:00:00Z on; set 'at' to choose the time
                """
            ]
        )
    }

    @Test func `a suite can be run against other rules`() throws {
        try self.folder.write("rules: []", to: "none.yaml")
        try self.folder.write(
            "tests: [{ name: t, request: { platform: ios, version: '1' }, expect: { rule: none } }]",
            to: "suites/a.yaml"
        )
        #expect(throws: RulesFileErrors.self) { try self.load("suites/a.yaml") }
        let suites = try self.load("suites/a.yaml", rules: self.folder.path(of: "none.yaml"))
        #expect(suites.map { $0.run(now: self.now).failureCount } == [0])
    }

    @Test func `all suites in a folder are loaded in the order of their names`() throws {
        for name in ["b.json", "a.yml", ".c.yaml"] {
            try self.folder.write(
                #"{ "rules": "../rules.yaml", "tests": [] }"#,
                to: "suites/\(name)"
            )
        }
        let names = try self.load("suites").map { URL(filePath: $0.path).lastPathComponent }
        #expect(names == ["a.yml", "b.json"])
    }

    static let broken: [(String, [String])] = [
        ("rules: ../rules.yaml\n", ["suites/a.yaml:1:1: a test suite needs 'tests'"]),
        (
            "tests: []\n",
            ["suites/a.yaml:1:1: a test suite needs 'rules' or the option --rules"]
        ),
        (
            "rulez: ../rules.yaml\ntests: []\n",
            ["suites/a.yaml:1:1: unknown key 'rulez'; did you mean 'rules'?"]
        ),
        (
            "rules: ../rules.yaml\ntests:\n- name: t\n  expect: { rule: iso }\n",
            ["suites/a.yaml:4:19: there is no rule 'iso'; did you mean 'ios'?"]
        ),
        (
            "rules: ../rules.yaml\ntests:\n- { name: t, expect: { rule: ios } }\n"
                + "- { name: t, expect: { rule: ios } }\n",
            ["suites/a.yaml:4:11: there is already a test 't' on line 3"]
        ),
        (
            "rules: ../rules.yaml\ntests:\n- name: t\n  request: { country: jp }\n"
                + "  expect: { rule: none }\n",
            ["suites/a.yaml:4:23: no header is configured for the country; add one to 'identity'"]
        ),
        (
            "rules: ../nothing.yaml\ntests: []\n",
            ["suites/../nothing.yaml:1:1: there is no such file"]
        ),
        ("tests: [\n", ["suites/a.yaml:2:1: "]),
    ]

    @Test(arguments: broken)
    func `an error in a suite has its location`(suite: String, errors: [String]) throws {
        let found = try self.errors(suite)
        #expect(found.count == errors.count)
        for (found, expected) in zip(found, errors) {
            #expect(found.hasPrefix(expected), "\(found)")
        }
    }

    @Test func `JUnit XML contains every test, and invalid characters are replaced`() throws {
        let reports = try self.reports(
            """
            rules: ../rules.yaml
            tests:
              - { name: "a < b & \\"c\\"\\u0001\\n", request: { version: "99" }, expect: { decision: allow } }
              - { name: d, request: { version: "99" }, expect: { status: 426 } }

            """
        )
        let path = self.folder.path(of: "suites/a.yaml")
        #expect(
            JUnitReport(reports).text == """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites name="versiongate" tests="2" failures="1" errors="0">
                  <testsuite name="\(path)" tests="2" failures="1" errors="0" skipped="0">
                    <testcase classname="\(path)" name="a &lt; b &amp; &quot;c&quot;\u{FFFD}&#10;" file="\(path)" line="3"/>
                    <testcase classname="\(path)" name="d" file="\(path)" line="4">
                      <failure message="expected status 426, got none (the request passes)">\(path):4:13: expected status 426, got none (the request passes)</failure>
                    </testcase>
                  </testsuite>
                </testsuites>

                """
        )
    }

    @Test func `the shipped suite passes`() throws {
        let suites = try TestSuiteLoader(rules: nil, feedKinds: .all, now: SystemClock.now).load(
            path: Project.rules.appending(path: "suites").path
        )
        let reports = suites.map { $0.run(now: SystemClock.now()) }
        #expect(!reports.isEmpty)
        for report in reports { #expect(report.failureCount == 0, "\(report)") }
    }
}
