import GateTestSupport

/// The outcome of a case, at the client and at the backend.
package struct Observation: Sendable {
    package struct Answer: Sendable {
        /// The index of the client's connection, starting at 0.
        var connection: Int
        var interim: [RawResponse] = []
        var response: RawResponse
        /// The request as received by the backend, if it sends an echo.
        var echo: EchoReport?

        var isToFollower: Bool { self.echo?.target == "/follower" }
    }

    var answers: [Answer] = []
    /// Interim responses without a final one.
    var pending: [RawResponse] = []
    /// Raw bytes that were read.
    var bytes: [UInt8] = []
    /// How the other side ended the client's last connection, if it did.
    var ending: StreamEnding?
    /// The problem that stopped the client: a timeout, or invalid HTTP.
    var trouble: String?
    var record = BackendRecord()

    /// The exchanges that reached the backend, without the follower.
    var exchanges: [BackendRecord.Exchange] {
        self.record.exchanges.filter { $0.request.target != "/follower" }
    }

    var followerReached: Bool {
        self.record.exchanges.contains { $0.request.target == "/follower" }
    }

    var final: [Answer] { self.answers.filter { !$0.isToFollower } }
}

extension Observation: CustomStringConvertible {
    /// The observation in one line, for a table.
    package var description: String {
        let answers = self.answers.map { answer in
            let interim = Self.statuses(of: answer.interim).map { "\($0), " }.joined()
            let end = answer.response.isComplete ? "" : " cut short"
            let target = answer.isToFollower ? " to the next request" : ""
            return "\(interim)\(answer.response.status)\(target)\(end)"
        }
        let end =
            switch self.ending {
            case .closed: ["close"]
            case .reset: ["reset"]
            case nil: [String]()
            }
        let trouble = self.trouble.map { [$0] } ?? []
        let client = (answers + Self.statuses(of: self.pending) + trouble + end)
        return "client: \(client.joined(separator: ", ")); backend: \(self.backendWords)"
    }

    /// Returns the statuses of interim responses, or their number if there are many.
    private static func statuses(of interim: [RawResponse]) -> [String] {
        interim.count > 5
            ? ["\(interim.count) interim responses"] : interim.map { "\($0.status)" }
    }

    private var backendWords: String {
        let requests = self.record.exchanges.map { exchange in
            let request = exchange.request
            let body = exchange.bodyLength > 0 ? " with \(exchange.bodyLength) bytes" : ""
            let end = exchange.isComplete ? "" : ", incomplete"
            return "\(request.method) \(request.target.prefix(40))\(body)\(end)"
        }
        let failures = self.record.connections.compactMap { connection in
            if case .failed(let reason) = connection.end { reason } else { String?.none }
        }
        let words = requests + failures
        return words.isEmpty ? "nothing" : words.joined(separator: "; ")
    }
}
