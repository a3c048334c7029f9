internal import GatePolicy

/// An error in a rules file and its location.
package struct RulesFileError: Error, Sendable, Hashable {
    /// The file path as given by the operator.
    package let file: String
    /// The line, counted from 1.
    package let line: Int
    /// The column in Unicode scalars, counted from 1.
    package let column: Int
    /// The error and, if known, how to fix it.
    package let message: String

    /// The maximum length of a message in Unicode scalars; text quoted from a file can be of any
    /// length.
    static let maximumLength = 800

    /// Creates an error; the message becomes one printable line of limited length.
    package init(file: String, line: Int = 1, column: Int = 1, message: String) {
        self.file = file
        self.line = line
        self.column = column
        // Fast path: nearly all messages are printable ASCII, and there may be thousands of them.
        let isPlain = message.utf8.allSatisfy { 0x20...0x7E ~= $0 }
        guard !isPlain || message.utf8.count > Self.maximumLength else {
            self.message = message
            return
        }
        var text = ""
        for scalar in message.unicodeScalars.prefix(Self.maximumLength) {
            let isControl = scalar.properties.generalCategory == .control
            text.unicodeScalars.append(isControl ? "\u{FFFD}" : scalar)
        }
        let isWhole = message.unicodeScalars.count <= Self.maximumLength
        self.message = isWhole ? text : text + "…"
    }

    init(_ place: Place, _ message: String) {
        self.init(file: place.file, line: place.line, column: place.column, message: message)
    }
}

extension RulesFileError {
    /// Returns the error with text appended to its message.
    func adding(_ text: String) -> RulesFileError {
        RulesFileError(
            file: self.file,
            line: self.line,
            column: self.column,
            message: self.message + text
        )
    }

    /// Returns the error with a severity before its message, as in `file:line:col: warning: message`.
    func described(as severity: String) -> String {
        "\(self.file):\(self.line):\(self.column): \(severity): \(self.message)"
    }
}

extension RulesFileError: CustomStringConvertible {
    /// The error as `file:line:col: message`, which editors and terminals show as a link.
    package var description: String {
        "\(self.file):\(self.line):\(self.column): \(self.message)"
    }
}

/// The order in which errors and findings are shown: by file, then by location.
struct ErrorOrder {
    private let positions: [String: Int]

    init(ofFiles files: [String]) {
        self.positions = Dictionary(firstOf: files.enumerated().map { ($1, $0) })
    }

    /// Returns the values to compare; `name` distinguishes findings with the same message.
    func key(_ error: RulesFileError, _ name: String = "") -> (Int, Int, Int, String, String) {
        (self.positions[error.file] ?? 0, error.line, error.column, error.message, name)
    }
}

/// All errors of a rules file or folder, sorted by location; never empty.
package struct RulesFileErrors: Error, Sendable, Equatable {
    package let errors: [RulesFileError]
    /// The revision of the invalid files; `nil` if the files could not be read.
    package let revision: Revision?

    init(_ errors: [RulesFileError], in revision: Revision? = nil) {
        self.errors = errors
        self.revision = revision
    }

    init(_ error: RulesFileError) {
        self.init([error])
    }
}

extension RulesFileErrors: CustomStringConvertible {
    /// One line per error.
    package var description: String {
        self.errors.map(\.description).joined(separator: "\n")
    }
}
