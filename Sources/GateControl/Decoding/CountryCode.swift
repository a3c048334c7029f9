/// The code of a country (ISO 3166-1 alpha-2), in lower case.
struct CountryCode: Sendable, Hashable {
    /// Why a text is not such a code.
    enum Failure: Error, CustomStringConvertible {
        case shape
        /// A code that is no country's, and the one that is probably meant.
        case other(String)

        var description: String {
            switch self {
            case .shape: "write its two letters, such as 'jp'"
            case .other(let code): "did you mean '\(code)'?"
            }
        }
    }

    /// Codes that many take for a country's, and that no store has.
    private static let slips = ["uk": "gb"]

    let text: String

    init(parsing text: String) throws(Failure) {
        guard text.wholeMatch(of: /[A-Za-z]{2}/) != nil else { throw .shape }
        if let meant = Self.slips[text.lowercased()] { throw .other(meant) }
        self.text = text.lowercased()
    }
}
