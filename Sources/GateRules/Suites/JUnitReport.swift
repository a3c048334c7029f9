import GatePolicy

/// The results of test suites as JUnit XML, for CI systems.
package struct JUnitReport: Sendable {
    private let reports: [TestSuiteReport]

    package init(_ reports: [TestSuiteReport]) {
        self.reports = reports
    }

    /// The XML 1.0 document.
    package var text: String {
        let tests = self.reports.reduce(0) { $0 + $1.cases.count }
        let failures = self.reports.reduce(0) { $0 + $1.failureCount }
        let suites = self.reports.map { self.suite($0) }.joined()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="versiongate" tests="\(tests)" failures="\(failures)" errors="0">
            \(suites)</testsuites>

            """
    }

    private func suite(_ report: TestSuiteReport) -> String {
        let name = Self.escaped(report.suite)
        let head =
            "  <testsuite name=\"\(name)\" tests=\"\(report.cases.count)\" "
            + "failures=\"\(report.failureCount)\" errors=\"0\" skipped=\"0\">\n"
        let cases = report.cases.map { self.testCase($0, in: name) }.joined()
        return head + cases + "  </testsuite>\n"
    }

    private func testCase(_ test: TestSuiteReport.Case, in suite: String) -> String {
        let place = test.place.split(separator: ":")
        let line = place.count > 2 ? place[place.count - 2] : "1"
        let head =
            "    <testcase classname=\"\(suite)\" name=\"\(Self.escaped(test.name))\" "
            + "file=\"\(suite)\" line=\"\(line)\""
        guard let failure = test.failure else { return head + "/>\n" }
        let message = Self.escaped(failure.message)
        return head
            + ">\n      <failure message=\"\(message)\">\(Self.escaped(test.place)): \(message)"
            + "</failure>\n    </testcase>\n"
    }

    /// Returns a string escaped for an element or an attribute; characters that XML does not allow
    /// (section 2.2) become U+FFFD.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x26: escaped += "&amp;"
            case 0x3C: escaped += "&lt;"
            case 0x3E: escaped += "&gt;"
            case 0x22: escaped += "&quot;"
            // In an attribute, a parser would replace these characters with spaces.
            case 0x09, 0x0A, 0x0D: escaped += "&#\(scalar.value);"
            case 0..<0x20, 0xFFFE, 0xFFFF: escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
