import GateWire

extension ClientAddress {
    /// The client's address: that of the peer, or the one in the `X-Forwarded-For` fields from a trusted proxy.
    func clientAddress(
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        trusted: TrustedProxies
    ) -> String {
        guard self.isTrusted, facts.forwardedForLine != nil else { return self.address }
        var addresses: [String] = []
        for line in head.fields.lines where line.role == .forwarded(.for) {
            bytes.forEachListMember(from: line.valueStart, to: line.valueEnd) { start, end in
                addresses.append(bytes.text(from: start, to: end))
                return true
            }
        }
        return trusted.clientAddress(in: addresses) ?? self.address
    }
}
