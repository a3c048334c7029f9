/// The link under which a client finds its update: an absolute URL of the web or of a store app.
struct StoreLink: Sendable, Equatable {
    /// Why a text is not a store link.
    enum Failure: Error, CustomStringConvertible {
        case forbiddenCharacter(Unicode.Scalar)
        case notAbsolute
        case unsafeScheme(String)

        var description: String {
            switch self {
            case .forbiddenCharacter(let scalar):
                "a URL holds no \(Self.name(of: scalar)); percent-encode it"
            case .notAbsolute:
                "it must be absolute, such as 'https://apps.apple.com/app/id1' "
                    + "or 'market://details?id=com.example'"
            case .unsafeScheme(let scheme):
                "'\(scheme)' links do not lead to a store"
            }
        }

        private static func name(of scalar: Unicode.Scalar) -> String {
            scalar == " " ? "blank" : "'\(scalar)'"
        }
    }

    /// Schemes that run or reveal something on the client instead of opening a store.
    private static let unsafeSchemes: Set<String> = ["javascript", "data", "vbscript", "file"]

    let text: String

    init(parsing text: String) throws(Failure) {
        let marks: Set<Unicode.Scalar> = [" ", "\"", "<", ">", "\\", "^", "`", "{", "|", "}"]
        for scalar in text.unicodeScalars
        where !(0x20..<0x7F).contains(scalar.value) || marks.contains(scalar) {
            throw .forbiddenCharacter(scalar)
        }
        let scheme = text.prefix { $0 != ":" }
        guard !Self.unsafeSchemes.contains(scheme.lowercased()) else {
            throw .unsafeScheme(String(scheme))
        }
        guard text.wholeMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:\/\/[^\/?#].*/) != nil else {
            throw .notAbsolute
        }
        self.text = text
    }
}
