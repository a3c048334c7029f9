import Foundation

/// One line that the gate logged.
package struct LogLine: Sendable, Equatable {
    package var level: String
    package var message: String
    package var metadata: [String: String]
    package var text: String

    /// Parses a line.
    ///
    /// For a line that is neither a JSON object nor from the text logger, such as one from a crash report, only the
    /// text is kept.
    init(_ text: String) {
        if !text.hasPrefix("{"), let line = Self.ofLogger(text) {
            self = line
            return
        }
        let object = try? JSONSerialization.jsonObject(with: Data(text.utf8))
        let fields = (object as? [String: Any] ?? [:]).mapValues { "\($0)" }
        self.text = text
        self.level = fields["level"] ?? ""
        self.message = fields["message"] ?? ""
        self.metadata = fields.filter { $0.key != "level" && $0.key != "message" }
    }

    private init(
        level: String,
        message: String,
        metadata: [String: String],
        text: String
    ) {
        self.level = level
        self.message = message
        self.metadata = metadata
        self.text = text
    }

    /// Parses a line of `--log-format text`.
    ///
    /// Values are cut at their first space.
    private static func ofLogger(_ text: String) -> LogLine? {
        let form = /\S+ (?<level>\w+) versiongate:(?<metadata>.*?) \[\w+\] (?<message>.*)/
        guard let match = text.wholeMatch(of: form) else { return nil }
        let pairs = match.metadata.split(separator: " ").map { $0.split(separator: "=") }
        let metadata = pairs.filter { $0.count == 2 }.map { (String($0[0]), String($0[1])) }
        return LogLine(
            level: String(match.level),
            message: String(match.message),
            metadata: Dictionary(metadata) { first, _ in first },
            text: text
        )
    }
}
