/// A sample request that represents all requests that match a pattern, or two patterns at once.
struct ComparedRequest: Sendable {
    let method: [UInt8]
    let target: [UInt8]
    let label: String

    /// A path segment and a method that no pattern contains.
    ///
    /// The segment replaces wildcards, and the method is used for patterns without methods.
    struct Fillers {
        let segment: String
        let method: String

        private static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]

        init(besides patterns: [RequestPattern]) {
            let methods = Set(patterns.flatMap { $0.methods ?? [] })
            let segments = Set(patterns.flatMap { $0.segments ?? [] })
            var segment = "any"
            while segments.contains(.literal(Array(segment.utf8))) { segment += "-other" }
            self.segment = segment
            // If the patterns contain all common methods, the choice hardly matters, because
            // clients send no other methods.
            self.method = Self.methods.first { !methods.contains($0) } ?? "ANY"
        }
    }

    /// Creates a request that no pattern matches, unless a pattern matches all requests.
    init(outside fillers: Fillers, label: String) {
        self.method = Array(fillers.method.utf8)
        self.target = Array("/\(fillers.segment)".utf8)
        self.label = label
    }

    init(_ pattern: RequestPattern, _ fillers: Fillers) {
        self.init(methods: pattern.methods, segments: pattern.segments, pattern.path, fillers)
    }

    /// Returns a request for each method in a pattern.
    static func each(_ pattern: RequestPattern, _ fillers: Fillers) -> [ComparedRequest] {
        guard let methods = pattern.methods else { return [ComparedRequest(pattern, fillers)] }
        return methods.map { method in
            ComparedRequest(methods: [method], segments: pattern.segments, pattern.path, fillers)
        }
    }

    /// Creates a request that matches both patterns, or returns `nil` if no request does.
    init?(_ one: RequestPattern, _ other: RequestPattern, _ fillers: Fillers) {
        var methods = one.methods ?? other.methods
        if let left = one.methods, let right = other.methods {
            methods = left.filter(right.contains)
        }
        guard methods?.isEmpty != true else { return nil }
        var segments = one.segments ?? other.segments
        if let left = one.segments, let right = other.segments {
            guard let both = Self.meet(left[...], right[...]) else { return nil }
            segments = both
        }
        self.init(methods: methods, segments: segments, segments.map(Self.path), fillers)
    }

    private init(
        methods: [String]?,
        segments: [RequestPattern.Segment]?,
        _ path: String?,
        _ fillers: Fillers
    ) {
        self.method = Array((methods?.first ?? fillers.method).utf8)
        let filled = segments?.map { segment in
            if case .literal = segment { return segment }
            return RequestPattern.Segment.literal(Array(fillers.segment.utf8))
        }
        self.target = Array((filled.map(Self.path) ?? "/\(fillers.segment)").utf8)
        self.label = [methods?.joined(separator: ","), path].compactMap { $0 }
            .joined(separator: " ")
    }

    private static func path(_ segments: [RequestPattern.Segment]) -> String {
        guard !segments.isEmpty else { return "/" }
        return segments.map { segment in
            switch segment {
            case .literal(let bytes): "/" + String(decoding: bytes, as: UTF8.self)
            case .anyOne: "/*"
            case .anythingBelow: "/**"
            }
        }.joined()
    }

    /// Returns segments that match both lists, or `nil` if there are none.
    ///
    /// Like the evaluation of rules, this ignores case and a trailing slash. The result has the
    /// spelling of the first list, because exemptions are compared exactly.
    private static func meet(
        _ one: ArraySlice<RequestPattern.Segment>,
        _ other: ArraySlice<RequestPattern.Segment>
    ) -> [RequestPattern.Segment]? {
        switch (one.first, other.first) {
        // `**` also matches the path that ends before `**`.
        case (.anythingBelow, _): return Array(other)
        case (_, .anythingBelow): return Array(one)
        case (nil, _): return Self.isEnd(other) ? [] : nil
        case (_, nil): return Self.isEnd(one) ? Array(one) : nil
        case (.some(let left), .some(let right)):
            guard let segment = self.meet(left, right),
                let rest = self.meet(one.dropFirst(), other.dropFirst())
            else { return nil }
            return [segment] + rest
        }
    }

    private static func meet(
        _ one: RequestPattern.Segment,
        _ other: RequestPattern.Segment
    ) -> RequestPattern.Segment? {
        switch (one, other) {
        case (_, .anyOne), (_, .anythingBelow): return one
        case (.anyOne, _), (.anythingBelow, _): return other
        case (.literal(let left), .literal(let right)):
            return LenientPath.folded(left) == LenientPath.folded(right) ? one : nil
        }
    }

    /// Whether `rest` is empty, or only a trailing slash.
    private static func isEnd(_ rest: ArraySlice<RequestPattern.Segment>) -> Bool {
        rest.isEmpty || rest.elementsEqual([.literal([])])
    }
}

extension RuleSet {
    func scope(of request: ComparedRequest) -> RequestScope {
        self.scope(method: request.method, target: request.target)
    }
}
