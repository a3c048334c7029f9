/// Collects what is wrong while a rules file is read, so that one run shows everything.
///
/// A class, because every step of one load writes into the same collection; it never leaves that
/// load.
package final class Problems {
    private var found: Set<RulesFileError> = []

    package init() {}

    var isEmpty: Bool { self.found.isEmpty }

    /// Reports one problem.
    ///
    /// An aliased element is read wherever it is used, and is wrong only once.
    package func report(_ message: String, at place: Place) {
        self.found.insert(RulesFileError(place, message))
    }

    func report(_ error: RulesFileError) {
        self.found.insert(error)
    }

    /// The problems in the order of the files, then of their places.
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
