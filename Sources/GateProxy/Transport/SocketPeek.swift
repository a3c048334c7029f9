import Glibc

/// The unread input of a socket: bytes, its end, or nothing.
enum SocketPeek {
    /// A request, or the beginning of one.
    case bytes
    /// The client has closed its side without a word, or is gone.
    case end
    case nothing

    /// Looks at what there is to read and leaves it there.
    init(_ descriptor: CInt) {
        var byte: UInt8 = 0
        let count = unsafe recv(descriptor, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
        if count > 0 {
            self = .bytes
        } else {
            self = count < 0 && [EAGAIN, EINTR].contains(errno) ? .nothing : .end
        }
    }
}
