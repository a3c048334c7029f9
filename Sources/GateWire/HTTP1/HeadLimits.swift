/// The size limits of a message head; requests that exceed them get an error response.
package struct HeadLimits: Equatable, Sendable {
    /// The maximum bytes of the head, from the first byte to the empty line; more gets 431.
    package var bytes: Int
    /// The maximum number of field lines; more gets 431.
    package var fields: Int
    /// The maximum bytes of the request target; more gets 414.
    package var target: Int

    /// 32 KiB, 100 fields, 8 KiB of target.
    package static let defaults = HeadLimits(bytes: 32 * 1024, fields: 100, target: 8 * 1024)

    package init(bytes: Int, fields: Int, target: Int) {
        self.bytes = bytes
        self.fields = fields
        self.target = target
    }
}
