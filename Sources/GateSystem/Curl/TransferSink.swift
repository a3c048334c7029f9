/// The receiver of a transfer; called on the loop's thread, which must not wait.
protocol TransferSink: AnyObject, Sendable {
    /// Whether it takes bytes now; if not, the transfer pauses until it is resumed.
    var hasRoom: Bool { get }

    /// The head is complete; called once.
    func receive(_ head: ResponseHead) throws(FetchFailure)

    /// A piece of the body.
    func receive(_ bytes: [UInt8]) throws(FetchFailure)

    /// Nothing more comes: the answer is whole, or it failed.
    func finish(_ failure: FetchFailure?)
}
