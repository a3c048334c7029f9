import GatePolicy

/// Properties of any line as a User-Agent pattern, and of the next line as a User-Agent.
enum UserAgentPatternProperties {
    static func check(_ input: [UInt8]) throws(Finding) {
        let lines = input.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        let text = lines[0]
        let userAgent = lines.count > 1 ? lines[1] : ""
        let pattern: UserAgentPattern
        do throws(PatternError) {
            pattern = try UserAgentPattern(parsing: text)
        } catch {
            return try expect(!error.description.isEmpty, "an error without a description")
        }
        try expect(pattern.description, is: text, "the description of the pattern")
        let match = pattern.match(userAgent)
        try expect(pattern.match(userAgent) == match, "a different match the second time")
        let bytes = Array(userAgent.utf8)
        for value in match?.values.map({ Array($0.utf8) }) ?? [] where Self.isASCII(value) {
            try expect(Self.contains(bytes, value), "\(value) is not part of \(bytes)")
        }
        try self.checkAlternatives(text, userAgent, match)
    }

    /// Checks that a text that matches a pattern also matches it as the only alternative, and as the first of two.
    private static func checkAlternatives(
        _ text: String,
        _ userAgent: String,
        _ match: [UserAgentField: String]?
    ) throws(Finding) {
        // The flag is allowed only at the start.
        guard !text.hasPrefix("(?i)") else { return }
        for other in ["(?:\(text))", "\(text)|\(text.filter { $0 != "<" && $0 != ">" })"] {
            guard let pattern = try? UserAgentPattern(parsing: other) else { continue }
            let again = pattern.match(userAgent)
            if match != nil || other.hasPrefix("(?:") {
                try expect((again != nil), is: (match != nil), "\(other)")
            }
            if other.hasPrefix("(?:") { try expect(again == match, "\(other) matches differently") }
        }
        guard text.utf8.allSatisfy({ $0 != 0x5E && $0 != 0x24 && $0 != 0x5C }),
            match != nil, userAgent.utf8.count < 500
        else { return }
        // Without anchors and boundaries, a match must not depend on its position.
        guard let pattern = try? UserAgentPattern(parsing: text) else { return }
        try expect(pattern.match("x \(userAgent) x") != nil, "\(text) in the middle of a text")
    }

    private static func isASCII(_ bytes: [UInt8]) -> Bool { bytes.allSatisfy { $0 < 0x80 } }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        part.isEmpty
            || bytes.indices.contains { bytes[$0...].starts(with: part) }
    }
}
