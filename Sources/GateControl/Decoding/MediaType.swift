/// What kind of content a denial has, as `Content-Type` says it.
struct MediaType: Sendable, Equatable {
    /// Why a text is not a media type.
    enum Failure: Error, CustomStringConvertible {
        case shape

        var description: String { "write one as 'application/json' or 'text/xml; charset=utf-8'" }
    }

    private static let maximumLength = 128

    let text: String

    init(parsing text: String) throws(Failure) {
        let shape =
            /[A-Za-z0-9!#$&^_.+\-]+\/[A-Za-z0-9!#$&^_.+\-]+(?:; ?[a-z]+="?[A-Za-z0-9._:\-]+"?)*/
        guard text.utf8.count <= Self.maximumLength, text.wholeMatch(of: shape) != nil else {
            throw .shape
        }
        self.text = text
    }
}
