/// Something that is to be said of rules that can be read.
package struct Finding: Sendable, Hashable {
    package let name: FindingName
    /// The effect that it has here: one that refuses only warns once the file accepts it, or if it
    /// was in force before.
    package fileprivate(set) var effect: FindingName.Effect
    /// The rule that it is about, if it is about one.
    package let rule: String?
    /// The same as an error, for whoever wants none of it.
    package fileprivate(set) var asError: RulesFileError

    /// The same finding where it refuses nothing, with the reason.
    func allowed(because reason: String, as effect: FindingName.Effect) -> Finding {
        var finding = self
        finding.effect = effect
        finding.asError = self.asError.adding(" (\(reason))")
        return finding
    }

    /// The same with another sentence behind its message.
    func adding(_ sentence: String) -> Finding {
        var finding = self
        finding.asError = self.asError.adding("; \(sentence)")
        return finding
    }

    /// Whether a gate that has loaded the rules says it in its log: what refuses, once it is accepted,
    /// and what became laxer, are no mistakes, and must not pass in silence.
    package var isLoud: Bool {
        self.effect == .warns || self.name == .laxer || self.name.effect == .refuses
    }

    /// The finding where errors are said: its name stands behind the message.
    package var asNamedError: RulesFileError { self.asError.adding(" [\(self.name.rawValue)]") }
}

extension Finding: CustomStringConvertible {
    /// `file:line:col: warning: message [name]`, which editors and terminals turn into a link.
    package var description: String {
        let error = self.asError
        let word =
            switch self.effect {
            case .refuses: "error"
            case .warns: "warning"
            case .notes: "note"
            }
        return
            "\(error.file):\(error.line):\(error.column): \(word): \(error.message) "
            + "[\(self.name.rawValue)]"
    }
}

/// Collects what is found; a class, because all checks of one look write into the same collection.
final class FindingCollector {
    private(set) var found: Set<Finding> = []

    /// - Parameters:
    ///   - name: What it is.
    ///   - message: The sentence for people.
    ///   - place: Where it stands.
    ///   - rule: The rule that it is about.
    ///   - reason: Why it refuses nothing here; `nil`: it does what its name does.
    func report(
        _ name: FindingName,
        _ message: String,
        at place: Place,
        rule: String? = nil,
        allowedBecause reason: String? = nil
    ) {
        let finding = Finding(
            name: name,
            effect: name.effect,
            rule: rule,
            asError: RulesFileError(place, message)
        )
        self.found.insert(reason.map { finding.allowed(because: $0, as: .warns) } ?? finding)
    }

    func report(_ name: FindingName, _ error: RulesFileError) {
        self.found.insert(Finding(name: name, effect: name.effect, rule: nil, asError: error))
    }

    /// The findings in the order of the files, then of their places.
    func sorted(byFiles files: [String]) -> [Finding] {
        let order = Dictionary(
            files.enumerated().map { ($1, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        return self.found.sorted { left, right in
            let (one, other) = (left.asError, right.asError)
            let files = (order[one.file] ?? 0, order[other.file] ?? 0)
            return files.0 == files.1
                ? (one.line, one.column, one.message, left.name.rawValue)
                    < (other.line, other.column, other.message, right.name.rawValue)
                : files.0 < files.1
        }
    }
}
