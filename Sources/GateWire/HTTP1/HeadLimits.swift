/// How large a message head may be; beyond it a request is refused.
package struct HeadLimits: Equatable, Sendable {
    /// Bytes of the whole head, from the first byte to the empty line; more is 431.
    package var bytes: Int
    /// Header field lines; more is 431.
    package var fields: Int
    /// Bytes of the request target; more is 414.
    package var target: Int

    /// 32 KiB, 100 fields, 8 KiB of target.
    package static let defaults = HeadLimits(bytes: 32 * 1024, fields: 100, target: 8 * 1024)

    package init(bytes: Int, fields: Int, target: Int) {
        self.bytes = bytes
        self.fields = fields
        self.target = target
    }
}
