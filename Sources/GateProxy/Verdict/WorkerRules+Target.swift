import GatePolicy
import GateWire

/// The request target: its path chooses the rules, its query may name the client.
extension WorkerRules {
    /// The rules that its path meets.
    func scope(of head: borrowing RequestHead, in bytes: Span<UInt8>) -> RequestScope {
        guard self.tellsRequestsApart else { return .unrestricted }
        let method = bytes.extracting(head.methodStart..<head.methodEnd)
        let target = bytes.extracting(head.target.start..<head.target.end)
        if head.target.isAbsolute, target.isEmpty || target[0] != ASCII.slash {
            // The backend is sent `/` for it, and so it is judged (RFC 9112 3.2.1).
            let root = Self.root
            return self.ruleSet.scope(method: method, target: root.span)
        }
        return self.ruleSet.scope(method: method, target: target)
    }

    private static let root = [ASCII.slash]

    /// The identity in the query: a browser's WebSocket and EventSource can set no header.
    func identityQuery(
        of head: RequestHead,
        in bytes: Span<UInt8>
    ) -> QueryParameters {
        guard !self.queryNames.isEmpty else { return .none }
        return self.query(of: head, in: bytes, self.queryNames)
    }

    func query(
        of head: RequestHead,
        in bytes: Span<UInt8>,
        _ names: [String]
    ) -> QueryParameters {
        QueryParameters(
            ofTarget: bytes.extracting(head.target.start..<head.target.end),
            named: names
        )
    }
}
