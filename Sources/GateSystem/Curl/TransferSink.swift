/// The receiver of a transfer; called on the loop's thread, which must not block.
protocol TransferSink: AnyObject, Sendable {
    /// Whether the sink can accept bytes; if not, the transfer pauses until it is resumed.
    var hasRoom: Bool { get }

    /// Called once, with the complete response head.
    func receive(_ head: ResponseHead) throws(FetchFailure)

    /// Called with each chunk of the body.
    func receive(_ bytes: [UInt8]) throws(FetchFailure)

    /// Called once, at the end of the transfer; success means that the response is complete.
    func finish(_ end: Result<Void, FetchFailure>)
}
