internal import GatePolicy

/// Decodes `unidentified`: the policy for clients without a valid version.
struct UnidentifiedDecoder {
    static let keys = ["missing", "unreadable", "notice", "storeUrl", "paths"]
    private static let pathKeys = ["path", "method", "missing", "unreadable"]

    let problems: Problems

    func decode(_ element: Element) -> RulesDocument.Unidentified? {
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        let defaults = UnidentifiedPolicy.defaults
        let paths = fields.items("paths").flatMap { self.paths($0) }
        let missing = fields.choice("missing", of: UnidentifiedPolicy.Action.self)
        let unreadable = fields.choice("unreadable", of: UnidentifiedPolicy.Action.self)
        let policy = UnidentifiedPolicy(
            missing: missing ?? defaults.missing,
            unreadable: unreadable ?? defaults.unreadable,
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

    /// Decodes an entry of `paths`: requests with a stricter policy; an entry may list several paths.
    private func paths(_ element: Element) -> [Located<UnidentifiedPath>] {
        guard let fields = Fields(element, Self.pathKeys, self.problems) else { return [] }
        if fields["missing"] == nil, fields["unreadable"] == nil {
            let message = "this entry has no effect: it needs 'missing' or 'unreadable'"
            self.problems.report(message, at: element.place)
        }
        let missing = fields.choice("missing", of: UnidentifiedPolicy.Action.self)
        let unreadable = fields.choice("unreadable", of: UnidentifiedPolicy.Action.self)
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
}
