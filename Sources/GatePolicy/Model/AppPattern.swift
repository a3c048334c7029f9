/// The apps that a rule is for: one identifier, or all that begin as `com.example.*` does.
package struct AppPattern: Sendable, Hashable {
    /// Why a text is no pattern.
    package enum Failure: Error, Sendable, Equatable {
        /// A star stands anywhere but behind the last dot.
        case misplacedStar
    }

    /// The pattern as it was written.
    package let description: String
    /// The text that identifiers begin with, with its last dot; `nil` for one identifier.
    let prefix: String?

    package init(parsing text: String) throws(Failure) {
        guard text.utf8.contains(UInt8(ascii: "*")) else {
            self.init(text, prefix: nil)
            return
        }
        let prefix = text.dropLast()
        guard text.hasSuffix(".*"), prefix.utf8.count > 1,
            !prefix.utf8.contains(UInt8(ascii: "*"))
        else { throw .misplacedStar }
        self.init(text, prefix: String(prefix))
    }

    private init(_ description: String, prefix: String?) {
        self.description = description
        self.prefix = prefix
    }

    /// Whether an app is one of these; identifiers compare by their bytes.
    package func matches(_ app: String) -> Bool {
        guard let prefix else { return self.description.utf8.elementsEqual(app.utf8) }
        return app.utf8.count > prefix.utf8.count && app.utf8.starts(with: prefix.utf8)
    }

    /// Whether it stands for one app.
    package var isIdentifier: Bool { self.prefix == nil }

    /// Whether it is certain that it has every app that another pattern has.
    package func covers(_ other: AppPattern) -> Bool {
        guard let end = other.prefix else { return self.matches(other.description) }
        return self.prefix.map { end.utf8.starts(with: $0.utf8) } ?? false
    }

    /// Whether some app matches both patterns.
    func meets(_ other: AppPattern) -> Bool { self.covers(other) || other.covers(self) }

    /// An app that matches, and that no rule is likely to name.
    package var example: String { self.prefix.map { $0 + "any-other" } ?? self.description }
}

extension AppPattern: CustomStringConvertible {}

extension AppPattern: ExpressibleByStringLiteral {
    /// An identifier; patterns are parsed.
    package init(stringLiteral identifier: String) {
        self = (try? AppPattern(parsing: identifier)) ?? AppPattern(identifier, prefix: nil)
    }
}

extension AppPattern.Failure: CustomStringConvertible {
    package var description: String {
        "'*' may stand only at the end and after a dot, as in 'com.example.*'"
    }
}
