/// The size limits of a message head; requests that exceed them get an error response.
package struct HeadLimits: Equatable, Sendable {
    /// The maximum size of the head, in bytes, from the first byte to the empty line; a larger head
    /// gets 431.
    package var bytes: Int
    /// The maximum number of field lines; a head with more lines gets 431.
    package var fields: Int
    /// The maximum size of the request target, in bytes; a larger target gets 414.
    package var target: Int

    /// The default limits: 32 KiB, 100 fields, and 8 KiB for the target.
    package static let defaults = HeadLimits(bytes: 32 * 1024, fields: 100, target: 8 * 1024)

    /// The limits for authorization requests, to whose heads gateways add fields and a path prefix.
    package var forGateways: HeadLimits {
        HeadLimits(bytes: self.bytes + 8 * 1024, fields: self.fields + 32, target: self.target + 64)
    }

    package init(bytes: Int, fields: Int, target: Int) {
        self.bytes = bytes
        self.fields = fields
        self.target = target
    }
}
