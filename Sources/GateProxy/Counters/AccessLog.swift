import GatePolicy
import Logging
import NIOCore

/// One log line for each exchange, when it is over.
struct AccessLog {
    let logger: Logger

    /// What is remembered of a request until its answer is complete.
    struct Entry {
        var started: NIODeadline
        var client: String
        var method: String
        /// Without the query, which often carries secrets.
        var path: String
        /// The client's own, or the one that the gate gave.
        var requestID: String
        var newRequestID: RequestID?
        var status = 0
        var verdict: Verdict?
    }

    func write(_ entry: Entry) {
        var metadata: Logger.Metadata = [
            "client": "\(entry.client)",
            "method": "\(entry.method)",
            "path": "\(entry.path)",
            "status": .stringConvertible(entry.status),
            "request_id": "\(entry.requestID)",
            "duration_ms": .stringConvertible(
                Double((NIODeadline.now() - entry.started).nanoseconds / 1000) / 1000
            ),
        ]
        if let decision = entry.verdict?.decision {
            metadata["decision"] = "\(decision.kind.rawValue)"
            metadata["rule"] = decision.ruleID.map { "\($0)" }
            if !decision.observed.isEmpty {
                let rules = decision.observed.map { $0.ruleID ?? "unidentified" }
                metadata["observed"] = "\(rules.joined(separator: ","))"
            }
        }
        self.logger.info("request", metadata: metadata)
    }
}
