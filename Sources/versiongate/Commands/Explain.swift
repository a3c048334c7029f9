import ArgumentParser
import GateFeeds
import GatePolicy
import GateProxy
import GateRules
import GateSystem

/// Says what the gate would do with one request, and why.
struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says which rule decides about a request, why, and what the client would get.",
        discussion: """
            versiongate explain --rules rules.yaml --header 'X-App-Platform: ios' \
            --header 'X-App-Version: 3.4.9' --path /v2/orders
            """
    )

    @Option(help: "The rules: a YAML or JSON file, or a folder of them.")
    var rules: String
    @Option(name: [.customShort("H"), .long], help: "A header field, 'Name: value'; repeatable.")
    var header: [String] = []
    @Option(help: "The method of the request.")
    var method = "GET"
    @Option(help: "When the request comes, such as 2027-01-10T00:00:00Z (default: now).")
    var at: String?
    @Option(
        help: "The client's address, by which clients without a device id are rolled out to.",
        transform: { try IPAddress(parsing: $0).text }
    )
    var address = "192.0.2.1"
    @Option(help: "The path of the request, with its query if there is one.")
    var path = "/"

    func validate() throws {
        for field in [self.method, self.path] + self.header
        where field.unicodeScalars.contains(where: { $0 == "\r" || $0 == "\n" }) {
            throw ValidationError("'\(field)' has a line break")
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
                "--path '\(self.path)' begins with no slash; write '/\(self.path)'"
            )
        }
    }

    func run() throws {
        let time = try CommandTime.parse(self.at, flag: "--at")
        let definition: RuleSetDefinition
        do {
            definition = try RulesFileLoader(
                path: self.rules,
                feedKinds: .all,
                now: SystemClock.now
            ).load().definition
        } catch {
            for error in error.errors { StandardError.write(error.description) }
            throw ExitCode.failure
        }
        let head = DryRun.head(self.method, self.path, fields: self.header)
        switch DryRun(ruleSet: RuleSet(definition), at: time, address: self.address).judge(head)
        {
        case .refused(let answer):
            print("decision: refused (\(answer.status))\nwhy:      \(answer.detail)")
            throw ExitCode.failure
        case .answered(let decision, let answer):
            print("endpoint: the gate answers this path itself, and the backend does not see it")
            if let decision { self.print(decision, [], of: definition) }
            print("\nThe client gets:\n\n\(answer.replacing("\r\n", with: "\n"))")
        case .denied(let decision, let deferrals, let answer):
            self.print(decision, deferrals, of: definition)
            print("\nThe client gets:\n\n\(answer.replacing("\r\n", with: "\n"))")
        case .passed(let decision, let deferrals, let upstreamHead, let addedFields):
            self.print(decision, deferrals, of: definition)
            print(
                "\nThe backend gets:\n\n\(upstreamHead.replacing("\r\n", with: "\n"))",
                terminator: ""
            )
            guard !addedFields.isEmpty else { return }
            print("Added to its answer:\n\n\(addedFields.replacing("\r\n", with: "\n"))")
        }
    }

    private func print(
        _ decision: Decision,
        _ deferrals: [Deferral],
        of definition: RuleSetDefinition
    ) {
        Swift.print("decision: \(decision.kind.rawValue)")
        Swift.print("rule:     \(decision.ruleID ?? "none")")
        Swift.print("why:      \(decision.reason(with: deferrals))")
        for observed in decision.observed {
            let rule = observed.ruleID ?? "unidentified"
            Swift.print("observed: \(rule) would \(observed.kind.rawValue): \(observed.reason)")
        }
        for held in decision.held {
            let end = held.until.map { "until \($0)" } ?? "and nobody knows how long"
            Swift.print("held:     \(held.ruleID) waits for the store, \(end)")
        }
        for deferral in deferrals {
            Swift.print("not yet:  \(deferral.ruleID): \(deferral.reason); \(deferral.words)")
        }
        Swift.print("revision: \(definition.revision)")
    }

    private func print(_ text: String, terminator: String = "\n") {
        Swift.print(text, terminator: terminator)
    }
}
