/// One thing that is wrong in a rules file, and where.
package struct RulesFileError: Error, Sendable, Hashable {
    /// The file as the operator named it.
    package let file: String
    /// The line, counted from 1.
    package let line: Int
    /// The column in Unicode scalars, counted from 1.
    package let column: Int
    /// The mistake and, if there is one, the way out.
    package let message: String

    /// The longest message, in Unicode scalars; what is quoted from a file has no limit itself.
    static let maximumLength = 800

    /// Describes an error; the message becomes one printable line of bounded length.
    package init(file: String, line: Int = 1, column: Int = 1, message: String) {
        self.file = file
        self.line = line
        self.column = column
        // Nearly all of them are, and there may be thousands.
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
    /// The same error with more behind its message.
    func adding(_ text: String) -> RulesFileError {
        RulesFileError(
            file: self.file,
            line: self.line,
            column: self.column,
            message: self.message + text
        )
    }
}

extension RulesFileError: CustomStringConvertible {
    /// `file:line:col: message`, which editors and terminals turn into a link.
    package var description: String {
        "\(self.file):\(self.line):\(self.column): \(self.message)"
    }
}

/// Everything that is wrong in a rules file or folder, sorted by place; never empty.
package struct RulesFileErrors: Error, Sendable, Equatable {
    package let errors: [RulesFileError]
    /// Names the texts that are wrong; `nil` if they could not even be read.
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
