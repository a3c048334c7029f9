/// The name of a header field, in lower case.
struct HeaderName: Sendable, Equatable {
    /// Why a text is not such a name.
    enum Failure: Error, CustomStringConvertible {
        case shape
        case reserved

        var description: String {
            switch self {
            case .shape: "it may hold letters, digits and !#$%&'*+-.^_`|~ only"
            case .reserved: "HTTP, or VersionGate itself, needs this field"
            }
        }
    }

    /// Fields that frame, describe or route a message, and those that the gate reads or writes
    /// itself: an identity that is cleaned on its way upstream must not take one of them along.
    private static let reserved: Set<String> = [
        "accept", "connection", "content-length", "content-type", "expect", "forwarded", "host",
        "keep-alive", "origin", "proxy-authenticate", "proxy-authorization", "proxy-connection",
        "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "x-request-id",
    ]
    private static let reservedBeginnings = [
        "access-control-", "x-forwarded-", "x-versiongate",
    ]

    let text: String

    init(parsing text: String) throws(Failure) {
        try self.init(ofAnyField: text)
        guard !Self.reserved.contains(self.text),
            !Self.reservedBeginnings.contains(where: { self.text.hasPrefix($0) })
        else { throw .reserved }
    }

    /// Reads the name of a field that a test sends: it may have any purpose.
    init(ofAnyField text: String) throws(Failure) {
        guard text.wholeMatch(of: /[A-Za-z0-9!#$%&'*+.^_`|~\-]{1,128}/) != nil else { throw .shape }
        self.text = text.lowercased()
    }
}

/// The name of a query parameter that may carry a part of an identity, in lower case.
struct ParameterName: Sendable, Equatable {
    /// Why a text is not such a name.
    enum Failure: Error, CustomStringConvertible {
        case shape

        var description: String { "it may hold letters, digits, '.', '_', '~' and '-' only" }
    }

    let text: String

    init(parsing text: String) throws(Failure) {
        guard text.wholeMatch(of: /[A-Za-z0-9._~\-]{1,128}/) != nil else { throw .shape }
        self.text = text.lowercased()
    }
}
