/// The name of a rule or a notice, which travels in headers, logs and metrics.
struct Name: Sendable, Equatable {
    /// Why a text is not a name.
    enum Failure: Error, CustomStringConvertible {
        case shape

        var description: String {
            "it must be 1 to 64 letters, digits, '.', '_' or '-', and begin with a letter or digit"
        }
    }

    let text: String

    init(parsing text: String) throws(Failure) {
        guard text.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._\-]{0,63}/) != nil else { throw .shape }
        self.text = text
    }
}
