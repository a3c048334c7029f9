/// The name of a header field, in lowercase.
struct HeaderName: Sendable, Equatable {
    /// Fields that frame, describe or route a message, and fields that the gate reads or writes
    /// itself.
    ///
    /// Reserved fields cannot be identity fields, because the gate may remove identity fields from
    /// the forwarded request.
    private static let reserved: Set<String> = [
        "accept", "connection", "content-length", "content-type", "expect", "forwarded", "host",
        "keep-alive", "origin", "proxy-authenticate", "proxy-authorization", "proxy-connection",
        "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "x-request-id",
    ]
    private static let reservedBeginnings = [
        "access-control-", "x-forwarded-", "x-versiongate",
    ]

    let text: String

    init(parsing text: String) throws(InvalidText) {
        try self.init(ofAnyField: text)
        guard !Self.reserved.contains(self.text),
            !Self.reservedBeginnings.contains(where: { self.text.hasPrefix($0) })
        else { throw InvalidText("this field is reserved for HTTP or VersionGate") }
    }

    /// Creates the name of a header field in a test; reserved names are allowed.
    init(ofAnyField text: String) throws(InvalidText) {
        guard text.wholeMatch(of: /[A-Za-z0-9!#$%&'*+.^_`|~\-]{1,128}/) != nil else {
            throw InvalidText("only letters, digits and !#$%&'*+-.^_`|~ are allowed")
        }
        self.text = text.lowercased()
    }
}

/// The name of a query parameter for a part of the client's identity, in lowercase.
struct ParameterName: Sendable, Equatable {
    let text: String

    init(parsing text: String) throws(InvalidText) {
        guard text.wholeMatch(of: /[A-Za-z0-9._~\-]{1,128}/) != nil else {
            throw InvalidText("only letters, digits, '.', '_', '~' and '-' are allowed")
        }
        self.text = text.lowercased()
    }
}
