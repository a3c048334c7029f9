import GateWire

/// The parser for the request heads on a connection, and the rules against which the requests are evaluated.
struct HeadReader {
    /// The rules for the current request.
    private(set) var rules: WorkerRules
    var parser: RequestHeadParser
    /// The verdict on the previous request on the connection.
    var lastVerdict: RememberedVerdict?

    init(_ rules: WorkerRules, limits: HeadLimits) {
        self.rules = rules
        self.parser = RequestHeadParser(limits: limits)
    }

    /// Replaces the rules.
    ///
    /// A partially parsed head is parsed again, because the table of field names belongs to the rules.
    mutating func use(_ rules: WorkerRules) {
        self.rules = rules
        self.parser.reset()
    }
}
