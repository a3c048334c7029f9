/// The share of clients that a change may newly refuse without being accepted.
enum GuardLimit: Sendable, Equatable {
    case off
    /// From 0 to 1.
    case share(Double)

    static let standard = GuardLimit.share(0.2)
}

extension Element {
    /// Reads the setting `guard`.
    func guardLimit(_ problems: Problems) -> GuardLimit? {
        switch self.content {
        case .number(let text):
            if let percent = Double(text), percent > 0, percent <= 100 {
                return .share(percent / 100)
            }
        case .boolean(let text), .text(let text):
            if text.lowercased() == "off" { return .off }
        case .date, .nothing, .list, .mapping: break
        }
        problems.report(
            "expected a percentage above 0 and up to 100, such as 'guard: 20', or 'off', "
                + "found \(self.found)",
            at: self.place
        )
        return nil
    }
}
