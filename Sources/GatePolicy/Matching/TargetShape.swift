/// What one look at a request target tells about its path.
struct TargetShape {
    /// The number of bytes before the query.
    let pathLength: Int
    /// Whether there is a path at all, and not `*` or an authority (RFC 9112 section 3.2).
    let isPath: Bool
    /// Whether the path has only one spelling and one reading, so that it can be compared as it
    /// stands.
    let isPlain: Bool

    init(_ target: borrowing Span<UInt8>) {
        var length = 0
        var isPlain = true
        var previous: UInt8 = 0
        while length < target.count, target[length] != UInt8(ascii: "?") {
            let byte = target[length]
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "."):
                // `//`, and every segment that could be a dot segment.
                if previous == UInt8(ascii: "/") { isPlain = false }
            case UInt8(ascii: "%"), UInt8(ascii: "\\"), UInt8(ascii: ";"), UInt8(ascii: "#"):
                isPlain = false
            case 0..<0x21, 0x7F...:
                isPlain = false
            default:
                break
            }
            previous = byte
            length += 1
        }
        self.pathLength = length
        self.isPath = length > 0 && target[0] == UInt8(ascii: "/")
        self.isPlain = isPlain
    }
}
