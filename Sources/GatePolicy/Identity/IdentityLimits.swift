/// The limits for the identity in a request.
///
/// A part that exceeds a limit is unparsable, so that clients cannot increase the cost of a
/// request.
package enum IdentityLimits {
    /// The maximum length of the value of a header line or query parameter, in bytes.
    package static let lineLength = 1024
    /// The maximum number of values for one part, such as the versions in a list.
    static let values = 8
    /// The maximum total length of several values, in bytes.
    static let listLength = 256
    /// The maximum number of list elements, including empty elements (RFC 9110 section 5.6.1.2).
    static let elements = 32
}
