/// A finding about valid rules.
package struct Finding: Sendable, Hashable {
    package let name: FindingName
    /// The effect in this case.
    ///
    /// A finding that usually rejects the rules has a weaker effect if, for example, the file
    /// accepts the finding or the rule was active before.
    package fileprivate(set) var effect: FindingName.Effect
    /// The rule that the finding is about, if any.
    package let rule: String?
    /// The finding as an error, for callers that treat findings as errors.
    package fileprivate(set) var asError: RulesFileError

    /// Returns the finding with a weaker effect, and the reason in its message.
    func allowed(because reason: String, as effect: FindingName.Effect) -> Finding {
        var finding = self
        finding.effect = effect
        finding.asError = self.asError.adding(" (\(reason))")
        return finding
    }

    /// Returns the finding with a sentence appended to its message.
    func adding(_ sentence: String) -> Finding {
        var finding = self
        finding.asError = self.asError.adding("; \(sentence)")
        return finding
    }

    /// Whether the gate logs the finding after loading the rules.
    ///
    /// This includes accepted findings that would otherwise reject the rules, and changes that make
    /// rules laxer.
    package var isLoud: Bool {
        self.effect == .warns || self.name == .laxer || self.name.effect == .refuses
    }

    /// The finding as an error, with its name appended to the message.
    package var asNamedError: RulesFileError { self.asError.adding(" [\(self.name.rawValue)]") }
}

extension Finding: CustomStringConvertible {
    /// The finding as `file:line:col: warning: message [name]`, which editors and terminals show as
    /// a link.
    package var description: String {
        let word =
            switch self.effect {
            case .refuses: "error"
            case .warns: "warning"
            case .notes: "note"
            }
        return "\(self.asError.described(as: word)) [\(self.name.rawValue)]"
    }
}

/// Collects findings.
///
/// This is a class, because all checks of a run add to the same collection.
final class FindingCollector {
    private(set) var found: Set<Finding> = []

    /// Adds a finding with the default effect of its name; with a `reason`, the finding only warns.
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

    /// Returns the findings in the order of `files`, then by location.
    func sorted(byFiles files: [String]) -> [Finding] {
        let order = ErrorOrder(ofFiles: files)
        return self.found.sorted { left, right in
            order.key(left.asError, left.name.rawValue)
                < order.key(right.asError, right.name.rawValue)
        }
    }
}
