internal import GatePolicy

/// Reads `path` and `method`, of a rule's `match` and of an exemption.
struct RequestDecoder {
    let problems: Problems

    /// The requests that the keys name; `nil` if there are no such keys.
    func decode(_ fields: Fields) -> [RequestPattern]? {
        guard fields["path"] != nil || fields["method"] != nil else { return nil }
        let methods = fields["method"].map { self.methods($0) }
        guard let paths = fields["path"] else {
            // The names of the methods have been found to be right, or reported.
            return (try? RequestPattern(path: nil, methods: methods)).map { [$0] } ?? []
        }
        return paths.oneOrMore(self.problems).compactMap { self.pattern($0, methods: methods) }
    }

    /// The requests with a path, and with one of the methods if there are any.
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
