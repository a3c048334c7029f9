internal import GatePolicy

/// The report of `check` as SARIF 2.1.0 (OASIS), which code hosts show as annotations on a change.
package struct SARIFLog: Encodable, Sendable {
    private let version = "2.1.0"
    private let schema = "https://json.schemastore.org/sarif-2.1.0.json"
    private let runs: [Run]

    private enum CodingKeys: String, CodingKey {
        case version
        case schema = "$schema"
        case runs
    }

    /// Creates the log; `release` is the version of the tool.
    package init(_ report: CheckReport, release: String) {
        let results = report.problems.map { Result($0) }
        let names = Set(results.map(\.ruleId)).sorted()
        let driver = Driver(version: release, rules: names.map { Driver.Rule(id: $0) })
        self.runs = [Run(tool: Tool(driver: driver), results: results)]
    }

    private struct Run: Encodable {
        let tool: Tool
        /// Columns are counted in Unicode code points (section 3.14.17).
        let columnKind = "unicodeCodePoints"
        let results: [Result]
    }

    private struct Tool: Encodable {
        let driver: Driver
    }

    private struct Driver: Encodable {
        struct Rule: Encodable {
            let id: String
        }

        let name = "versiongate"
        let version: String
        let rules: [Rule]
    }

    private struct Result: Encodable {
        struct Message: Encodable {
            let text: String
        }

        struct Location: Encodable {
            struct Physical: Encodable {
                struct Artifact: Encodable {
                    let uri: String
                }

                struct Region: Encodable {
                    let startLine: Int
                    let startColumn: Int
                }

                let artifactLocation: Artifact
                let region: Region
            }

            let physicalLocation: Physical
        }

        let ruleId: String
        let level: String
        let message: Message
        let locations: [Location]

        init(_ problem: CheckReport.Problem) {
            let error = problem.error
            // An error without a finding name, such as an unreadable file.
            self.ruleId = problem.name?.rawValue ?? "unreadable"
            self.level = problem.severity.rawValue
            self.message = Message(text: error.message)
            self.locations = [
                Location(
                    physicalLocation: Location.Physical(
                        artifactLocation: .init(uri: SARIFLog.uri(error.file)),
                        region: .init(startLine: error.line, startColumn: error.column)
                    )
                )
            ]
        }
    }

    /// Returns a path as a relative reference (RFC 3986 section 4.2).
    private static func uri(_ path: String) -> String {
        let path = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return PercentEncoding.encoded(path) { byte in
            PercentEncoding.isUnreserved(byte) || byte == UInt8(ascii: "/")
        }
    }
}
