/// The code of a country (ISO 3166-1 alpha-2), in lower case.
struct CountryCode: Sendable, Hashable {
    /// Why a text is not such a code.
    enum Failure: Error, CustomStringConvertible {
        case shape

        var description: String { "write its two letters, such as 'jp'" }
    }

    let text: String

    init(parsing text: String) throws(Failure) {
        guard text.wholeMatch(of: /[A-Za-z]{2}/) != nil else { throw .shape }
        self.text = text.lowercased()
    }
}
