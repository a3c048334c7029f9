/// How much a request may say of its client and be read.
///
/// A part of which more is said is unreadable: no request costs much more than another one, whatever
/// its fields say.
package enum IdentityLimits {
    /// The longest value of a header line or query parameter, in bytes.
    package static let lineLength = 1024
    /// The most values for one part, such as the versions in a list.
    static let values = 8
    /// The most bytes that several of them have together.
    static let listLength = 256
    /// The most elements of the lists that give them, with empty ones (RFC 9110 section 5.6.1.2).
    static let elements = 32
}
