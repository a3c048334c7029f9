import ArgumentParser
import CSchemas

/// Prints a JSON Schema, which editors use for validation and completion.
struct Schema: ParsableCommand {
    enum Subject: String, CaseIterable, ExpressibleByArgument {
        case rules
        case suite

        /// The content of the schema file in the repository.
        var text: String {
            switch self {
            case .rules: unsafe String(cString: gate_rules_schema())
            case .suite: unsafe String(cString: gate_suite_schema())
            }
        }
    }

    static let configuration = CommandConfiguration(
        abstract: "Prints the JSON Schema of rules files or of test suites, for editors.",
        discussion: "versiongate schema rules > rules.schema.json"
    )

    @Argument(help: "The kind of file: rules or suite.")
    var subject = Subject.rules

    func run() {
        print(self.subject.text, terminator: "")
    }
}
