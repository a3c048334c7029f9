/// A request head as it reached the backend.
package struct BackendRequest: Sendable, Equatable {
    /// Which connection it came on, counted from 0.
    package var connection: Int
    /// Which request of its connection it is, counted from 0.
    package var index: Int
    package var method: String
    package var target: String
    package var version: String
    package var fields: FieldLines

    package var framing: BodyFraming { BodyFraming(fields: self.fields, otherwise: .none) }
}

/// The backend's answer when it is asked to echo.
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

/// The backend's answer when it is asked for the hash of a body.
package struct DigestReport: Codable, Sendable, Equatable {
    package var bodyLength: Int
    package var sha256: String
}
