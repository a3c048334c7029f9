/// A request head that the backend received.
package struct BackendRequest: Sendable, Equatable {
    /// The index of the connection, starting at 0.
    package var connection: Int
    /// The index of the request on its connection, starting at 0.
    package var index: Int
    package var method: String
    package var target: String
    package var version: String
    package var fields: FieldLines

    package var framing: BodyFraming { BodyFraming(fields: self.fields, otherwise: .none) }
}

/// The backend's response to a request that it echoes.
package struct EchoReport: Codable, Sendable, Equatable {
    package var connection: Int
    package var method: String
    package var target: String
    package var version: String
    package var fields: FieldLines
    package var trailers: FieldLines
    package var bodyLength: Int
    /// The first 64 KiB of the body.
    package var body: String
}

/// The backend's response with the hash of a body.
package struct DigestReport: Codable, Sendable, Equatable {
    package var bodyLength: Int
    package var sha256: String
}
