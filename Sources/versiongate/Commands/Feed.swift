import ArgumentParser
import GateFeeds
import GatePolicy
import GateRules
import GateSystem

/// Checks the feeds of a rules file.
struct Feed: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks the feeds of a rules file.",
        subcommands: [FeedCheck.self]
    )
}

/// Polls each feed once, and prints the data that the feed contributes to the rules.
struct FeedCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Polls each feed once and prints what it would add to the rules.",
        discussion: """
            The command then checks and tests the rules, including the data from the feeds, in \
            the same way as serve. It exits with 0, or prints every failed feed and every error \
            as file:line:col: message and exits with 1. For each rule with holdUntilInStore, the \
            output shows which versions the stores have and when the rule starts.
            """
    )

    @Argument(help: "A YAML or JSON file, or a directory of such files.")
    var path: String
    @Option(
        name: .customLong("feed-ca"),
        help: "PEM file with CA certificates for feeds, in addition to the system's."
    )
    var feedCA: String?

    func run() async throws {
        let loader = RulesFileLoader(path: self.path)
        do {
            let feeds = try loader.feeds()
            guard !feeds.isEmpty else { return print("\(self.path): the rules have no feeds") }
            let fetcher = try Fetcher(trust: TrustedAuthorities(\.feedCA, self.feedCA))
            let answers = await FeedProbe(fetcher: fetcher).ask(feeds)
            for answer in answers { self.show(answer) }
            let loaded = try loader.load(
                feeds: answers.reduce(into: [:]) { $0[$1.feed.id] = $1.contribution }
            )
            let definition = loaded.definition
            for answer in answers where answer.contribution != nil && answer.feed.makesRules {
                guard loaded.rules(ofFeed: answer.feed.id).isEmpty else { continue }
                print("feed '\(answer.feed.id)' currently adds no rules")
            }
            let failed = answers.filter { $0.failure != nil }.map { "'\($0.feed.id)'" }
            let verdict =
                failed.isEmpty
                ? "with its feeds: ok"
                : "without the data from failed feeds (\(failed.joined(separator: ", "))): no other errors"
            print(
                "\(self.path) \(verdict) (\(definition.rules.count) rules, "
                    + "\(definition.notices.count) notices, \(definition.releases.count) releases, "
                    + "revision \(definition.revision))"
            )
            let now = SystemClock.now()
            let findings = RulesFindings(loaded, at: now)
            for finding in findings.all where finding.effect != .refuses { print(finding) }
            for line in HoldReport(definition, at: now).lines { print(line) }
            for finding in findings.refusals { StandardError.write("\(finding)") }
            guard findings.refusals.isEmpty, failed.isEmpty else { throw ExitCode.failure }
        } catch let error as RulesFileErrors {
            try StandardError.fail(error.errors.map(\.description))
        } catch let error where error is SettingsError || error is FetchFailure {
            try StandardError.fail("versiongate: \(error)")
        }
    }

    private func show(_ answer: FeedProbe.Answer) {
        if let contribution = answer.contribution {
            print("# feed '\(answer.feed.id)': \(answer.feed.summary)")
            print(contribution.document)
        }
        if let failure = answer.failure {
            StandardError.write("feed '\(answer.feed.id)': \(answer.feed.summary): \(failure)")
        }
    }
}
