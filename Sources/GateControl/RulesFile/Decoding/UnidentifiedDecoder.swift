internal import GatePolicy

/// Reads `unidentified`: what happens to clients that do not say which build they are.
struct UnidentifiedDecoder {
    static let keys = ["missing", "unreadable", "notice", "storeUrl"]

    let problems: Problems

    func decode(_ element: Element) -> UnidentifiedPolicy? {
        guard let fields = Fields(element, keys: Self.keys, problems: self.problems) else {
            return nil
        }
        let defaults = UnidentifiedPolicy.defaults
        let policy = UnidentifiedPolicy(
            missing: self.action(fields["missing"]) ?? defaults.missing,
            unreadable: self.action(fields["unreadable"]) ?? defaults.unreadable,
            notice: fields["notice"].flatMap { $0.text("the name of a notice", self.problems) },
            storeURL: fields["storeUrl"]
                .flatMap { StoreURLDecoder(problems: self.problems).decode($0) }
        )
        if fields["storeUrl"] == nil, [policy.missing, policy.unreadable].contains(.reject) {
            let message =
                "'unidentified' with 'reject' needs 'storeUrl', or a denied client is stuck"
            self.problems.report(message, at: fields.place)
        }
        return policy
    }

    private func action(_ element: Element?) -> UnidentifiedPolicy.Action? {
        element?.choice(of: UnidentifiedPolicy.Action.self, self.problems)
    }
}
