/// The result of one check of a gate's settings and environment.
struct Diagnosis: Encodable {
    enum State: String, Encodable {
        case ok
        /// The gate works, but might not behave as its operator expects.
        case warning
        /// The gate does not start, or does not serve its clients.
        case error
    }

    let check: String
    let state: State
    let message: String
    /// How to solve the problem; `nil` if there is no problem, or if the message contains the solution.
    let fix: String?

    static func ok(_ check: String, _ message: String) -> Diagnosis {
        Diagnosis(check: check, state: .ok, message: message, fix: nil)
    }

    static func warning(_ check: String, _ message: String, fix: String? = nil) -> Diagnosis {
        Diagnosis(check: check, state: .warning, message: message, fix: fix)
    }

    static func error(_ check: String, _ message: String, fix: String? = nil) -> Diagnosis {
        Diagnosis(check: check, state: .error, message: message, fix: fix)
    }
}

extension Diagnosis: CustomStringConvertible {
    private static let widths = (state: 9, check: 14)

    /// The result in one line, followed by a line with the fix, if any.
    var description: String {
        let start = Self.padded(self.state.rawValue, to: Self.widths.state)
        let line = start + Self.padded(self.check, to: Self.widths.check) + self.message
        guard let fix = self.fix else { return line }
        let indent = String(repeating: " ", count: Self.widths.state + Self.widths.check)
        return "\(line)\n\(indent)fix: \(fix)"
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
