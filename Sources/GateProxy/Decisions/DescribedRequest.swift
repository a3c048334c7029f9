import GateWire

/// The client request that a gateway describes in an authorization request.
struct DescribedRequest {
    let facts: RequestFacts
    /// Whether the gateway may send another authorization request on the connection.
    let keepsAlive: Bool

    /// Reads the client request from the head of an authorization request, and replaces `head` with the client's head.
    ///
    /// `prefixCount` is the length, in bytes, of the part of the authorization request's path before the client's
    /// target.
    ///
    /// - Throws: An error response if the description is incomplete or the client request is invalid.
    init(
        _ head: inout RequestHead,
        from gateway: Gateway,
        prefixCount: Int = 0,
        in bytes: Span<UInt8>
    ) throws(GateAnswer) {
        let announcesBody = head.announcesBody(in: bytes)
        do throws(DescriptionFault) {
            try head.become(gateway.description(prefixCount: prefixCount), in: bytes)
        } catch {
            throw GateAnswer(error)
        }
        if let own = gateway.ownUserAgent { head.dropUserAgent(own, in: bytes) }
        do throws(MessageFault) {
            var facts = try RequestFacts(head, in: bytes)
            if announcesBody { facts.rejectPreflight() }
            self.facts = facts
        } catch {
            throw GateAnswer(error)
        }
        // The body of an authorization request is not read.
        self.keepsAlive = self.facts.keepsAlive && !announcesBody
    }

    /// Returns whether a gateway may send another request after a request whose body is not read.
    static func keepsAlive(_ head: RequestHead, in bytes: Span<UInt8>) -> Bool {
        guard !head.announcesBody(in: bytes) else { return false }
        return (try? RequestFacts(head, in: bytes))?.keepsAlive ?? false
    }
}
