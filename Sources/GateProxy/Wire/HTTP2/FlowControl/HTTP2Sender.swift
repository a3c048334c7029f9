/// A stream that has something to send.
protocol HTTP2Sender: AnyObject {
    var id: UInt32 { get }
    /// Nothing more is sent or received.
    var isOver: Bool { get }
    var output: HTTP2StreamOutput { get set }

    /// Something of what waited was sent, or it has begun to wait.
    func waits()
    /// All there is so far was sent; the end is still to come.
    func hasSentAll()
    /// The last frame was sent.
    func hasSentLast()
    /// The writer may go on.
    func becameWritable()
}

/// Not every stream has to hear of everything.
extension HTTP2Sender {
    func waits() {}
    func hasSentAll() {}
    func hasSentLast() {}
}
