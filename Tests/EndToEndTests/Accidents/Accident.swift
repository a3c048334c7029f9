import Testing

/// A change of a rules file that somebody did not mean, and what a running gate makes of it.
struct Accident: Sendable, CustomTestStringConvertible {
    /// The gate's verdict on the change.
    enum Outcome: Sendable, Equatable {
        /// The file is not loaded, because of these findings.
        case refused([String])
        /// The file is not loaded, because it cannot be read.
        case unreadable
        /// The file is loaded, and these findings are said.
        case loaded([String])
    }

    /// The fate of a client's request.
    enum Reach: Sendable, Equatable {
        case passes
        case denied
    }

    let name: String
    /// The rules in force before.
    var base = AccidentRules.shop
    let text: String
    let outcome: Outcome
    /// A current build and an old one, when the gate has said what it says; before, the first passes
    /// and the second does not.
    var current = Reach.passes
    var old = Reach.denied
    /// Whether nothing in the files can show that it is a mistake: only the traffic does.
    var isSeenInTraffic = false

    var testDescription: String { self.name }
}

/// The rules that accidents happen to.
enum AccidentRules {
    private static let head = """
        unidentified: { missing: allow, unreadable: allow, storeUrl: "https://a.example" }
        exempt: [/healthz]

        """
    private static let words = """
        notices: { n: { en: { title: Update, message: Please update., button: Update } } }

        """
    static let link = "https://apps.apple.com/app/id1234567890"

    /// A file with these rules, each in flow style without its words and link.
    static func file(_ rules: String..., more: String = "", head: String = Self.head) -> String {
        let items = rules.map { rule in
            let link = rule.contains("storeUrl") ? "" : ", storeUrl: \"\(Self.link)\""
            return "  - { \(rule), notice: n\(link) }\n"
        }
        return head + "rules:\n" + items.joined() + Self.words + more
    }

    static let ios = #"id: ios, match: { platform: ios }, minimum: "3.5.0", blocked: ["3.7.2"]"#
    /// One floor, and nothing that says which versions there are.
    static let shop = Self.file(Self.ios)
    static let releases = #"releases: [{ platform: ios, version: "4.2.0" }]"# + "\n"
    /// The same with what the store has.
    static let known = Self.file(Self.ios, more: Self.releases)
    /// The same with a recommended version.
    static let recommending = Self.file(Self.ios + #", recommended: "4.2.0""#)

    /// One of these with other words in it, which must be there.
    static func changed(_ text: String, _ old: String, _ new: String) -> String {
        precondition(text.contains(old), "'\(old)' is not in the rules")
        return text.replacing(old, with: new)
    }
}
