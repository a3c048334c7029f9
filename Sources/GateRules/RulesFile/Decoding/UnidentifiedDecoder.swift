internal import GatePolicy

/// Decodes `unidentified`: the policy for clients without a valid version.
struct UnidentifiedDecoder {
    static let keys = ["missing", "unreadable", "notice", "storeUrl", "paths"]

    let problems: Problems

    func decode(_ element: Element) -> RulesDocument.Unidentified? {
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        let defaults = UnidentifiedPolicy.defaults
        let paths =
            fields["paths"]
            .map { UnidentifiedPathDecoder(problems: self.problems).decode($0) } ?? []
        let policy = UnidentifiedPolicy(
            missing: fields["missing"].flatMap { self.action($0) } ?? defaults.missing,
            unreadable: fields["unreadable"].flatMap { self.action($0) } ?? defaults.unreadable,
            notice: fields["notice"].flatMap { $0.text("a notice name", self.problems) },
            storeURL: fields["storeUrl"]
                .flatMap { StoreURLDecoder(problems: self.problems).decode($0) },
            paths: paths.map(\.value)
        )
        let actions = policy.paths.flatMap { [$0.missing, $0.unreadable] }
        let rejects = ([policy.missing, policy.unreadable] + actions).contains(.reject)
        if fields["storeUrl"] == nil, rejects {
            let message =
                "'unidentified' with 'reject' needs 'storeUrl', so that denied clients can update"
            self.problems.report(message, at: fields.place)
        }
        return RulesDocument.Unidentified(policy: policy, paths: paths.map(\.place))
    }

    private func action(_ element: Element) -> UnidentifiedPolicy.Action? {
        element.choice(of: UnidentifiedPolicy.Action.self, self.problems)
    }
}

/// Decodes `paths` of `unidentified`: requests with a stricter policy.
struct UnidentifiedPathDecoder {
    static let keys = ["path", "method", "missing", "unreadable"]

    let problems: Problems

    /// Decodes all entries; an entry may list several paths.
    func decode(_ element: Element) -> [Located<UnidentifiedPath>] {
        (element.list(self.problems) ?? []).flatMap { self.entry($0) }
    }

    private func entry(_ element: Element) -> [Located<UnidentifiedPath>] {
        guard let fields = Fields(element, Self.keys, self.problems) else { return [] }
        if fields["missing"] == nil, fields["unreadable"] == nil {
            let message = "this entry has no effect: it needs 'missing' or 'unreadable'"
            self.problems.report(message, at: element.place)
        }
        let missing = fields["missing"].flatMap { self.action($0) }
        let unreadable = fields["unreadable"].flatMap { self.action($0) }
        guard let requests = RequestDecoder(problems: self.problems).decode(fields) else {
            let message = "an entry of 'paths' needs 'path' or 'method'"
            self.problems.report(message, at: element.place)
            return []
        }
        return requests.map { request in
            let path = UnidentifiedPath(request: request, missing: missing, unreadable: unreadable)
            return Located(value: path, place: element.place)
        }
    }

    private func action(_ element: Element) -> UnidentifiedPolicy.Action? {
        element.choice(of: UnidentifiedPolicy.Action.self, self.problems)
    }
}
