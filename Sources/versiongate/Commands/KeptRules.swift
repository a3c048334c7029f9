import ArgumentParser
import GateRecords
import GateRules

/// The option for the rules with which a command evaluates clients.
struct KeptRules: ParsableArguments {
    @Option(help: "The active rules (default: the last good rules in the state directory).")
    var rules: String?

    /// Loads the rules that `--rules` names, or the gate's last good rules.
    func load(or place: CensusFolderOption) throws -> LoadedRules {
        try Self.load(self.rules, or: place, flag: "--rules")
    }

    /// Loads the rules in the file or folder at `path`, or the last good rules in the state folder if
    /// `path` is `nil`.
    ///
    /// Prints the errors and exits if the rules cannot be loaded.
    static func load(_ path: String?, or place: CensusFolderOption, flag: String) throws
        -> LoadedRules
    {
        let folder = StateFolder(path: try place.path())
        let contributions = FeedStore(folder).contributions { StandardError.write("\($0)") }
        if let path {
            return try RulesFileErrors.reported { () throws(RulesFileErrors) in
                try RulesFileLoader(path: path).load(feeds: contributions)
            }
        }
        let texts = LastGoodRules.texts(in: folder) { StandardError.write("versiongate: \($0)") }
        guard let texts else {
            try StandardError.fail(
                "versiongate: no last good rules in the state directory; pass the rules with \(flag)"
            )
        }
        return try RulesFileErrors.reported { () throws(RulesFileErrors) in
            try RulesFileLoader(path: "").load(kept: texts.sources, feeds: contributions)
        }
    }
}

extension RulesFileErrors {
    /// Returns the result of `body`; prints the errors and exits if the rules are invalid.
    static func reported<Value>(
        _ body: () throws(RulesFileErrors) -> Value
    ) throws -> Value {
        do throws(RulesFileErrors) {
            return try body()
        } catch {
            try StandardError.fail(error.errors.map(\.description))
        }
    }
}
