import NIOCore

/// What goes out.
extension HTTP2Connection {
    /// A client that makes room for a body byte by byte earns nothing by it.
    func wrote(_ count: Int, of stream: HTTP2Stream) {
        if stream.output.isEmpty || count >= 1024 { self.control.earn(4) }
    }
}
