internal import GatePolicy

extension RuleMatch {
    /// Whether it is certain that every client and request of another match is one of this match.
    ///
    /// Only equal parts of a list are compared: whether `/v2/**` includes `/v2/pay` is not asked.
    func covers(_ other: RuleMatch) -> Bool {
        Self.covers(self.apps, other.apps) && Self.covers(self.platforms, other.platforms)
            && Self.covers(
                self.channels?.map { $0.lowercasedASCII },
                other.channels?.map { $0.lowercasedASCII }
            )
            && Self.covers(self.osVersions, other.osVersions)
            && Self.covers(self.requests, other.requests)
    }

    /// Whether both ask a client for the same parts of its identity, whatever the values are.
    func asksForSameParts(as other: RuleMatch) -> Bool {
        (self.apps == nil) == (other.apps == nil)
            && (self.platforms == nil) == (other.platforms == nil)
            && (self.channels == nil) == (other.channels == nil)
            && (self.osVersions == nil) == (other.osVersions == nil)
    }

    private static func covers<Value: Equatable>(_ values: [Value]?, _ others: [Value]?) -> Bool {
        guard let values else { return true }
        return others?.allSatisfy { values.contains($0) } ?? false
    }
}
