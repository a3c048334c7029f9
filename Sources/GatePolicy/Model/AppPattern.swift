/// The apps that a rule matches: one identifier, or all identifiers with a prefix, such as
/// `com.example.*`.
package struct AppPattern: Sendable, Hashable, CustomStringConvertible {
    /// The reason why a string is not a valid pattern.
    package enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
        case misplacedStar

        package var description: String {
            "'*' is only allowed at the end and after a dot, as in 'com.example.*'"
        }
    }

    /// The pattern as written.
    package let description: String
    /// The prefix of identifiers, including its last dot; `nil` if the pattern is a single
    /// identifier.
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

    /// Whether an app matches; identifiers are compared byte by byte.
    package func matches(_ app: String) -> Bool {
        guard let prefix else { return self.description.utf8.elementsEqual(app.utf8) }
        return app.utf8.count > prefix.utf8.count && app.utf8.starts(with: prefix.utf8)
    }

    /// Whether the pattern is a single identifier.
    package var isIdentifier: Bool { self.prefix == nil }

    /// Whether the pattern matches every app that another pattern matches.
    package func covers(_ other: AppPattern) -> Bool {
        guard let end = other.prefix else { return self.matches(other.description) }
        return self.prefix.map { end.utf8.starts(with: $0.utf8) } ?? false
    }

    /// Whether an app can match both patterns.
    func meets(_ other: AppPattern) -> Bool { self.covers(other) || other.covers(self) }

    /// The identifier of a matching app that rules are unlikely to contain.
    ///
    /// For a single identifier, this is the identifier itself.
    package var example: String { self.prefix.map { $0 + "any-other" } ?? self.description }
}

extension AppPattern: ExpressibleByStringLiteral {
    /// Creates a pattern; a string that is not a valid pattern becomes a single identifier.
    package init(stringLiteral identifier: String) {
        self = (try? AppPattern(parsing: identifier)) ?? AppPattern(identifier, prefix: nil)
    }
}
