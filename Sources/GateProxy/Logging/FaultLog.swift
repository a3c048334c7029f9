import Logging
import NIOCore

/// A fault that clients and backends can bring about with each request.
enum Fault: Hashable {
    case refusal(Refusal)
    case unreachableBackend
    case lostBackend
    case malformedResponse
    case failedHandshake(HandshakeProblem)

    var message: Logger.Message {
        switch self {
        case .refusal(let refusal): refusal.message
        case .unreachableBackend: "cannot connect to the backend"
        case .lostBackend: "a connection to the backend was lost"
        case .malformedResponse: "malformed response from the backend"
        case .failedHandshake(let problem): "\(problem.description)"
        }
    }
}

/// The log lines of faults on one event loop: of each fault at most one a second, which says how many
/// more there were (`suppressed`).
struct FaultLog {
    private let logger: Logger
    private var limiters: [Fault: LogLimiter] = [:]

    init(_ logger: Logger) {
        self.logger = logger
    }

    mutating func report(
        _ fault: Fault,
        _ metadata: @autoclosure () -> Logger.Metadata = [:],
        at now: NIODeadline = .now()
    ) {
        guard let suppressed = self.limiters[fault, default: LogLimiter()].admit(at: now) else {
            return
        }
        var metadata = metadata()
        if suppressed > 0 { metadata["suppressed"] = .stringConvertible(suppressed) }
        self.logger.warning(fault.message, metadata: metadata)
    }
}
