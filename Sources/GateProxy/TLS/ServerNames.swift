/// Finds what a server name stands for: exact names, and wildcards for one label (RFC 6125 6.4.3).
struct ServerNames<Value: Sendable>: Sendable {
    private var exact: [String: Value] = [:]
    /// By what follows the asterisk and its dot.
    private var wildcards: [String: Value] = [:]

    /// Adds a name of a certificate; the first value of a name stays.
    mutating func add(_ name: String, _ value: Value) {
        let name = Self.normalized(name)
        if name.hasPrefix("*.") {
            let parent = String(name.dropFirst(2))
            self.wildcards[parent] = self.wildcards[parent] ?? value
        } else {
            self.exact[name] = self.exact[name] ?? value
        }
    }

    /// The value for a name as a client asks for it; an exact name outranks a wildcard.
    subscript(name: String) -> Value? {
        let name = Self.normalized(name)
        if let value = self.exact[name] { return value }
        guard let dot = name.firstIndex(of: "."), dot > name.startIndex else { return nil }
        return self.wildcards[String(name[name.index(after: dot)...])]
    }

    private static func normalized(_ name: String) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }
}
