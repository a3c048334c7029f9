import Foundation

/// One line that the gate logged.
package struct LogLine: Sendable, Equatable {
    package var level: String
    package var message: String
    package var metadata: [String: String]
    package var text: String

    /// Reads a line; one that is no JSON object (a crash report, say) keeps only its text.
    init(_ text: String) {
        let object = try? JSONSerialization.jsonObject(with: Data(text.utf8))
        let fields = (object as? [String: Any] ?? [:]).mapValues { "\($0)" }
        self.text = text
        self.level = fields["level"] ?? ""
        self.message = fields["message"] ?? ""
        self.metadata = fields.filter { $0.key != "level" && $0.key != "message" }
    }
}
