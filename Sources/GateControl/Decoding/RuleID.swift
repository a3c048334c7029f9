internal import GatePolicy

/// The name of a rule, which tests tell from the words for a decision that no rule made.
struct RuleID: Sendable, Equatable {
    /// Why a text is not the name of a rule.
    enum Failure: Error, CustomStringConvertible {
        case shape
        case reserved

        var description: String {
            switch self {
            case .shape: Name.Failure.shape.description
            case .reserved: "tests say it of a decision that no rule made"
            }
        }
    }

    private static let reserved = [RuleExpectation.noRule, RuleExpectation.unidentified]

    let text: String

    init(parsing text: String) throws(Failure) {
        guard let name = try? Name(parsing: text) else { throw .shape }
        guard !Self.reserved.contains(name.text) else { throw .reserved }
        self.text = name.text
    }
}
