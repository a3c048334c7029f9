/// A token with parameters, as a structured field (RFC 9651 section 3.3): `recommend; latest="2"`.
struct StructuredItem {
    private(set) var text: String

    init(token: String) {
        self.text = token
    }

    /// Adds a string, if there is one and it can be written: strings of structured fields are
    /// printable ASCII.
    mutating func add(_ key: String, _ value: String?) {
        guard let value, value.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return }
        self.text += "; \(key)=\""
        for scalar in value.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { self.text += "\\" }
            self.text.unicodeScalars.append(scalar)
        }
        self.text += "\""
    }

    /// Adds an integer (section 3.3.1), if there is one.
    mutating func add(_ key: String, _ value: Int64?) {
        guard let value else { return }
        self.text += "; \(key)=\(value)"
    }

    /// A date by itself (section 3.3.7): the seconds of Unix time after an `@`.
    static func date(_ value: Timestamp) -> String {
        "@\(value.secondsSinceEpoch)"
    }
}
