import Glibc

/// The state of a socket's unread input.
enum SocketPeek {
    /// At least one byte, usually the start of a request.
    case bytes
    /// The client has closed its write side, or has disconnected.
    case end
    case nothing

    /// Checks the unread input without consuming it.
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
