internal import GatePolicy

/// Decodes `path` and `method` of a rule's `match` and of an exemption.
struct RequestDecoder {
    let problems: Problems

    /// Returns the patterns for both keys; `nil` if neither is present.
    func decode(_ fields: Fields) -> [RequestPattern]? {
        guard fields["path"] != nil || fields["method"] != nil else { return nil }
        let methods = fields["method"].map { self.methods($0) }
        guard let paths = fields["path"] else {
            // Invalid methods have been reported already.
            return (try? RequestPattern(path: nil, methods: methods)).map { [$0] } ?? []
        }
        return paths.oneOrMore(self.problems).compactMap { self.pattern($0, methods: methods) }
    }

    /// Returns the pattern for a path, and for the methods if there are any.
    func pattern(_ path: Element, methods: [String]? = nil) -> RequestPattern? {
        path.parsed(as: "a path", self.problems) { text throws(RequestPatternError) in
            try RequestPattern(path: text, methods: methods)
        }
    }

    private func methods(_ element: Element) -> [String] {
        element.oneOrMore(self.problems).compactMap { item in
            item.parsed(as: "a method", self.problems) { text throws(RequestPatternError) in
                _ = try RequestPattern(path: nil, methods: [text])
                return text
            }
        }
    }
}
