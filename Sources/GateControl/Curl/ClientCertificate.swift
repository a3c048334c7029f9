/// What a source is shown in the handshake of TLS, if it wants to know who asks: PEM.
package struct ClientCertificate: Sendable, Equatable {
    /// The certificate, and those between it and its authority.
    package var chain: [UInt8]
    package var key: [UInt8]
}
