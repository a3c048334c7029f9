import ArgumentParser
import GatePolicy
import GateProxy
import GateRules

/// Shows how the gate would handle a request, and why.
struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows which rule applies to a request, why, and what the client would get.",
        discussion: """
            versiongate explain --rules rules.yaml --header 'X-App-Platform: ios' \
            --header 'X-App-Version: 3.4.9' --path /v2/orders
            """
    )

    @Option(help: "Rules: a YAML or JSON file, or a directory of such files.")
    var rules: String
    @Option(name: [.customShort("H"), .long], help: "A header field, 'Name: value'; repeatable.")
    var header: [String] = []
    @Option(help: "The method of the request.")
    var method = "GET"
    @Option(help: "The time of the request, such as 2027-01-10T00:00:00Z (default: now).")
    var at: String?
    @Option(
        help: "The client's address; rollouts use it for clients without a device ID.",
        transform: { try IPAddress(parsing: $0).text }
    )
    var address = "192.0.2.1"
    @Option(help: "The path of the request, optionally with a query.")
    var path = "/"

    func validate() throws {
        for field in [self.method, self.path] + self.header
        where field.unicodeScalars.contains(where: { $0 == "\r" || $0 == "\n" }) {
            throw ValidationError("'\(field)' contains a line break")
        }
        for field in self.header where !field.contains(":") {
            let words = field.split(separator: " ", maxSplits: 1)
            let value = words.count == 2 ? words[1] : "VALUE"
            throw ValidationError(
                "'\(field)' has no colon; write --header '\(words.first ?? "NAME"): \(value)'"
            )
        }
        guard self.path.hasPrefix("/") || self.method == "OPTIONS" && self.path == "*" else {
            throw ValidationError(
                "--path '\(self.path)' does not start with a slash; write '/\(self.path)'"
            )
        }
    }

    func run() throws {
        let time = try CommandTime.parse(self.at, flag: "--at")
        let definition = try RulesFileErrors.reported { () throws(RulesFileErrors) in
            try RulesFileLoader(path: self.rules).load().definition
        }
        let head = DryRun.head(self.method, self.path, fields: self.header)
        switch DryRun(ruleSet: RuleSet(definition), at: time, address: self.address).judge(head) {
        case .refused(let answer):
            print("decision: refused (\(answer.status))\nwhy:      \(answer.detail)")
            throw ExitCode.failure
        case .answered(let decision, let answer):
            print("endpoint: the gate itself responds to this path; nothing is forwarded")
            if let decision { self.show(decision, [], of: definition) }
            print("\nThe client gets:\n\n\(answer.replacing("\r\n", with: "\n"))")
        case .denied(let decision, let deferrals, let answer):
            self.show(decision, deferrals, of: definition)
            print("\nThe client gets:\n\n\(answer.replacing("\r\n", with: "\n"))")
        case .passed(let decision, let deferrals, let upstreamHead, let addedFields):
            self.show(decision, deferrals, of: definition)
            print(
                "\nThe backend gets:\n\n\(upstreamHead.replacing("\r\n", with: "\n"))",
                terminator: ""
            )
            guard !addedFields.isEmpty else { return }
            print("Added to the response:\n\n\(addedFields.replacing("\r\n", with: "\n"))")
        }
    }

    private func show(
        _ decision: Decision,
        _ deferrals: [Deferral],
        of definition: RuleSetDefinition
    ) {
        print("decision: \(decision.kind.rawValue)")
        print("rule:     \(decision.ruleID ?? "none")")
        print("why:      \(decision.reason(with: deferrals))")
        if let route = decision.route {
            let otherwise = "otherwise: \(route.fallback.rawValue)"
            print("backend:  \(route.backend) (rule \(route.ruleID), \(otherwise))")
        }
        for route in decision.observedRoutes {
            print("observed: \(route.ruleID) would select the backend \(route.backend)")
        }
        for observed in decision.observed {
            let rule = observed.ruleID ?? "unidentified"
            print("observed: \(rule) would \(observed.kind.rawValue): \(observed.reason)")
        }
        for held in decision.held {
            let end = held.until.map { "until \($0)" } ?? "with no known date"
            print("held:     \(held.ruleID) waits for the store, \(end)")
        }
        for deferral in deferrals {
            print("not yet:  \(deferral.ruleID): \(deferral.reason); \(deferral.words)")
        }
        print("revision: \(definition.revision)")
    }
}
