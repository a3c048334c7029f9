internal import GatePolicy

/// Decodes `match`: the clients and requests that a rule applies to.
struct MatchDecoder {
    static let keys = ["app", "platform", "channel", "osVersion", "path", "method"]

    let problems: Problems

    func decode(_ element: Element) -> RuleMatch? {
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        return RuleMatch(
            apps: fields["app"]?.oneOrMore(self.problems)
                .compactMap { $0.appPattern(self.problems) },
            platforms: self.names(fields["platform"], .platform)?.map { Platform($0) },
            channels: self.names(fields["channel"], .channel),
            osVersions: fields["osVersion"].map { $0.versionRanges(self.problems) },
            requests: RequestDecoder(problems: self.problems).decode(fields)
        )
    }

    private func names(_ element: Element?, _ kind: ClientName.Kind) -> [String]? {
        element?.oneOrMore(self.problems).compactMap { $0.clientName(kind, self.problems) }
    }
}

/// Decodes `path` and `method` of a rule's `match` and of an exemption.
struct RequestDecoder {
    let problems: Problems

    /// Returns the patterns for both keys; `nil` if neither is present.
    func decode(_ fields: Fields) -> [RequestPattern]? {
        guard fields["path"] != nil || fields["method"] != nil else { return nil }
        let methods = fields["method"]?.oneOrMore(self.problems).compactMap { self.method($0) }
        guard let paths = fields["path"] else {
            // Invalid methods have been reported already.
            return (try? RequestPattern(path: nil, methods: methods)).map { [$0] } ?? []
        }
        return paths.oneOrMore(self.problems).compactMap { self.pattern($0, methods: methods) }
    }

    /// Returns the pattern for a path, limited to `methods` unless `methods` is `nil`.
    func pattern(_ path: Element, methods: [String]? = nil) -> RequestPattern? {
        path.parsed(as: "a path", self.problems) { text throws(RequestPatternError) in
            try RequestPattern(path: text, methods: methods)
        }
    }

    /// Decodes a method, and returns it as written, or `nil` if it is invalid.
    func method(_ element: Element) -> String? {
        element.parsed(as: "a method", self.problems) { text throws(RequestPatternError) in
            _ = try RequestPattern(path: nil, methods: [text])
            return text
        }
    }
}
