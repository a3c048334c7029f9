/// Collects the problems of a rules file, so that one run reports all of them.
///
/// This is a class, because all steps of a load add to the same collection. It is never used
/// outside that load.
package final class Problems {
    private var found: Set<RulesFileError> = []

    package init() {}

    var isEmpty: Bool { self.found.isEmpty }

    /// Reports a problem.
    ///
    /// An aliased element is decoded at every use, but its problems are kept only once.
    package func report(_ message: String, at place: Place) {
        self.found.insert(RulesFileError(place, message))
    }

    func report(_ error: RulesFileError) {
        self.found.insert(error)
    }

    /// Reports a problem, and returns `nil` instead of a value.
    package func reject<Value>(_ message: String, at place: Place) -> Value? {
        self.report(message, at: place)
        return nil
    }

    /// Returns the problems in the order of the files, then of their locations.
    func sorted(byFiles files: [String]) -> [RulesFileError] {
        let order = Dictionary(
            files.enumerated().map { ($1, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        return self.found.sorted { left, right in
            let files = (order[left.file] ?? 0, order[right.file] ?? 0)
            return files.0 == files.1
                ? (left.line, left.column, left.message)
                    < (right.line, right.column, right.message)
                : files.0 < files.1
        }
    }
}
