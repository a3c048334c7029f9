/// Collects the problems in a rules file, so that one run reports all of them.
///
/// This is a class, because all steps of a load add to the same collection, which is never used outside of the load.
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

    /// Reports a string that is not a language tag, and returns `nil` instead of a value.
    func reject<Value>(language text: String, at place: Place) -> Value? {
        self.reject("'\(text)' is not a language tag such as 'en' or 'zh-Hant'", at: place)
    }

    /// Returns the problems in the order of `files`, then by location.
    func sorted(byFiles files: [String]) -> [RulesFileError] {
        let order = ErrorOrder(ofFiles: files)
        return self.found.sorted { order.key($0) < order.key($1) }
    }
}
