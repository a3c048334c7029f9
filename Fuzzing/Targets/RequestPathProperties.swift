import GatePolicy

/// Properties of any request target with any path patterns.
///
/// The first line is the target, and every other line is a pattern such as `/a/**` or `POST /a/**`.
struct RequestPathProperties {
    private let target: [UInt8]
    private let patterns: [ReferencePattern]

    init(_ input: [UInt8]) {
        let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false)
        self.target = Array(lines[0])
        self.patterns = lines.dropFirst().prefix(8).compactMap { ReferencePattern($0) }
    }

    func check() throws(Finding) {
        try self.checkRules()
        try self.checkExemptions()
        try self.checkShape()
    }

    private static let methods = ["GET", "post"]

    /// Checks that a rule matches if and only if a backend could interpret the target as the rule's path.
    private func checkRules() throws(Finding) {
        let rules = self.patterns.enumerated().map { index, pattern in
            RuleDefinition(
                id: String(index),
                match: RuleMatch(requests: [pattern.pattern]),
                minimum: try? AppVersion(parsing: "2"),
                mode: .observe
            )
        }
        let set = RuleSet(RuleSetDefinition(revision: "1", rules: rules))
        let readings = ReferencePath.readings(of: self.target)
        let choices = ReferencePath.choices(of: self.target)
        let isTooMuch = choices > 128 || choices * self.target.count > 32 * 1024
        for method in Self.methods {
            let found = self.observed(by: set, method)
            let expected = self.patterns.indices.filter { index in
                readings.contains { self.patterns[index].matchesLeniently($0, method) }
            }
            // A target with too many interpretations matches everything.
            if isTooMuch, found.count == self.patterns.count { continue }
            try expect(found, is: expected, "rules for \(method) \(self.text)")
        }
    }

    private func observed(by rules: RuleSet, _ method: String) -> [Int] {
        let old = ClientIdentity(
            version: (try? AppVersion(parsing: "1")).map { .stated($0) } ?? .missing
        )
        let decision = rules.decide(
            old,
            in: rules.scope(method: Array(method.utf8).span, target: self.target.span),
            at: Timestamp(secondsSinceEpoch: 0),
            address: nil
        )
        return decision.observed.compactMap { $0.ruleID.flatMap { Int($0) } }
    }

    /// Checks that an exemption matches only its path, and no ambiguous one.
    private func checkExemptions() throws(Finding) {
        let exact = ReferencePath.exact(self.target)
        // More non-ASCII targets are rejected than the reference rejects, because some backends map characters.
        let mayBeRefused =
            exact?.joined().contains { unit in
                if case .encoded(0x80...) = unit { true } else { false }
            } ?? false
        for pattern in self.patterns {
            let set = RuleSet(RuleSetDefinition(revision: "1", exemptions: [pattern.pattern]))
            for method in Self.methods {
                let scope = set.scope(method: Array(method.utf8).span, target: self.target.span)
                let expected = exact.map { pattern.matchesExactly($0, method) } ?? false
                if mayBeRefused, !scope.isExempt { continue }
                try expect(
                    scope.isExempt,
                    is: expected,
                    "\(pattern.text) for \(method) \(self.text)"
                )
            }
        }
    }

    /// Checks that a shape is the path with `*` instead of some segments, and `^` instead of words in capitals.
    ///
    /// If the rules make the same decision for all paths with a shape, that must also be the decision for this path.
    private func checkShape() throws(Finding) {
        let rules = RuleSet(
            RuleSetDefinition(
                revision: "1",
                exemptions: self.patterns.prefix(1).map(\.pattern),
                rules: self.patterns.enumerated().map { index, pattern in
                    RuleDefinition(
                        id: String(index),
                        match: RuleMatch(requests: [pattern.pattern]),
                        minimum: try? AppVersion(parsing: "2")
                    )
                }
            )
        )
        for method in ["GET", "POST"] {
            let bytes = Array(method.utf8)
            guard let shape = PathShape(method: bytes.span, target: self.target.span) else {
                continue
            }
            guard let path = ReferencePath.exact(self.target) else {
                throw Finding("a shape of an ambiguous path: \(self.text)")
            }
            let segments = path.map(Self.spelled)
            try expect(shape.method, is: method, "the method of \(self.text)")
            try expect(shape.segments.count, is: segments.count, "the segments of \(self.text)")
            for (kept, segment) in zip(shape.segments, segments) where kept != "*" {
                if kept == "^", segment.utf8.contains(where: { 0x41...0x5A ~= $0 }) {
                    try expect(Self.mayStay(segment), "\(segment) counts as a word of \(self.text)")
                    continue
                }
                try expect(kept, is: segment, "a segment of \(self.text)")
                try expect(Self.mayStay(kept), "\(kept) is kept of \(self.text)")
            }
            if let scope = rules.scope(of: shape) {
                let own = rules.scope(method: bytes.span, target: self.target.span)
                try expect(scope, is: own, "the scope of \(shape.text) for \(self.text)")
            }
        }
    }

    private static func spelled(_ segment: [ReferencePath.Unit]) -> String {
        segment.map { unit in
            switch unit {
            case .plain(let byte): return String(Unicode.Scalar(byte))
            case .encoded(let byte):
                let digits = String(byte, radix: 16, uppercase: true)
                return "%" + (byte < 16 ? "0" : "") + digits
            }
        }
        .joined()
    }

    /// Whether a segment can be a fixed word in an API: not a number or an address, and without encoded characters.
    private static func mayStay(_ segment: String) -> Bool {
        let bytes = segment.utf8.map(ReferencePath.lowercased)
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
        guard let first = bytes.first(where: { $0 != UInt8(ascii: ".") }) else {
            return bytes.isEmpty
        }
        return isLetter(first)
            && bytes.allSatisfy { isDigit($0) || isLetter($0) || "-_.".utf8.contains($0) }
            && !bytes.split { !isDigit($0) }.contains { $0.count > 2 }
    }

    private var text: String { String(reflecting: String(decoding: self.target, as: UTF8.self)) }
}
