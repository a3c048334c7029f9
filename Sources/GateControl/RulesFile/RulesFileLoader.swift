/// Reads the rules from a file or a folder of files.
///
/// A folder's `*.yaml`, `*.yml` and `*.json` files are joined in the order of their names: rules and
/// exemptions append, notices join by name. Names that begin with a dot are not rules files.
/// Everything that is wrong is reported at once.
package struct RulesFileLoader: Sendable {
    private let path: String

    /// Prepares to read a file or a folder; nothing is read yet.
    package init(path: String) {
        self.path = path
    }

    /// Reads and checks the rules.
    package func load() throws(RulesFileErrors) -> LoadedRules {
        let reader = RulesReader(path: self.path)
        return try Self.load(try reader.read())
    }

    /// Checks rules that are already in memory, under the names that errors shall show.
    package static func load(
        sources: [(name: String, text: String)]
    ) throws(RulesFileErrors) -> LoadedRules {
        try self.load(sources.map { RulesSource(name: $0.name, bytes: Array($0.text.utf8)) })
    }

    static func load(_ sources: [RulesSource]) throws(RulesFileErrors) -> LoadedRules {
        let problems = Problems()
        let documents = sources.compactMap { self.document($0, problems) }
        // What is missing may well be in a file that could not be parsed.
        let isComplete = documents.count == sources.count
        if isComplete {
            self.checkPresence(of: documents, in: sources, problems)
        }
        let assembly = RuleSetAssembly(documents, problems: problems, isComplete: isComplete)
        let definition = assembly.definition(revision: Revision(of: sources).text)
        guard problems.isEmpty else {
            throw RulesFileErrors(problems.sorted(byFiles: sources.map(\.name)))
        }
        return LoadedRules(definition: definition)
    }

    private static func document(_ source: RulesSource, _ problems: Problems) -> RulesDocument? {
        do throws(RulesFileError) {
            var parser = DocumentParser(source)
            return DocumentDecoder(problems: problems).decode(try parser.parse())
        } catch {
            problems.report(error)
            return nil
        }
    }

    private static func checkPresence(
        of documents: [RulesDocument],
        in sources: [RulesSource],
        _ problems: Problems
    ) {
        guard let first = sources.first, documents.allSatisfy({ $0.rules == nil }) else { return }
        let message = "there are no 'rules'; write 'rules: []' if that is what you mean"
        problems.report(message, at: Place(file: first.name))
    }
}
