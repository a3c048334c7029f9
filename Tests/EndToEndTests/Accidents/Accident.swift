import Testing

/// A mistaken change of a rules file, and the expected reaction of a running gate.
struct Accident: Sendable, CustomTestStringConvertible {
    /// The result of the reload.
    enum Outcome: Sendable, Equatable {
        /// The file is rejected because of these findings.
        case refused([String])
        /// The file is rejected because it cannot be read.
        case unreadable
        /// The file is loaded, and these findings are reported.
        case loaded([String])
    }

    /// What happens to a client's request.
    enum Reach: Sendable, Equatable {
        case passes
        case denied
    }

    let name: String
    /// The previously active rules.
    var base = AccidentRules.shop
    let text: String
    let outcome: Outcome
    /// What happens to a current and an outdated build after the reload.
    ///
    /// Before the reload, the current build passes and the outdated one is denied.
    var current = Reach.passes
    var old = Reach.denied
    /// Whether only the traffic reveals the mistake, and nothing in the files does.
    var isSeenInTraffic = false

    var testDescription: String { self.name }
}

/// The rules that the accidents change.
enum AccidentRules {
    private static let head = """
        unidentified: { missing: allow, unreadable: allow, storeUrl: "https://a.example" }
        exempt: [/healthz]

        """
    private static let words = """
        notices: { n: { en: { title: Update, message: Please update., button: Update } } }

        """
    static let link = "https://apps.apple.com/app/id1234567890"

    /// Returns a file with these rules.
    ///
    /// Each rule is given in flow style, without its notice and store URL.
    static func file(_ rules: String..., more: String = "", head: String = Self.head) -> String {
        let items = rules.map { rule in
            let link = rule.contains("storeUrl") ? "" : ", storeUrl: \"\(Self.link)\""
            return "  - { \(rule), notice: n\(link) }\n"
        }
        return head + "rules:\n" + items.joined() + Self.words + more
    }

    static let ios = #"id: ios, match: { platform: ios }, minimum: "3.5.0", blocked: ["3.7.2"]"#
    /// One floor, without known releases.
    static let shop = Self.file(Self.ios)
    static let releases = #"releases: [{ platform: ios, version: "4.2.0" }]"# + "\n"
    /// One floor, and the version in the store.
    static let known = Self.file(Self.ios, more: Self.releases)
    /// One floor, and a recommended version.
    static let recommending = Self.file(Self.ios + #", recommended: "4.2.0""#)

    /// Returns the rules with one text replaced.
    ///
    /// The old text must be present.
    static func changed(_ text: String, _ old: String, _ new: String) -> String {
        precondition(text.contains(old), "'\(old)' is not in the rules")
        return text.replacing(old, with: new)
    }
}
