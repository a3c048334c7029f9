import Glibc

extension ParkedConnection {
    /// What a socket has to say.
    enum Peek {
        /// A request, or the beginning of one.
        case bytes
        /// The client has closed its side without a word, or is gone.
        case end
        case nothing
    }

    /// Looks at what there is to read and leaves it there.
    func peek() -> Peek {
        var byte: UInt8 = 0
        let count = unsafe recv(
            self.descriptor,
            &byte,
            1,
            CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)
        )
        if count > 0 { return .bytes }
        return count < 0 && [EAGAIN, EINTR].contains(errno) ? .nothing : .end
    }
}
