import Logging
import NIOCore

/// A fault that a client or a backend can cause with each request.
enum LoggedFault: Hashable {
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

/// A log of the faults on one event loop, limited to one line per second for each fault.
///
/// Each line contains the number of lines that were suppressed before it (`suppressed`).
struct FaultLog {
    private let logger: Logger
    private var limiters: [LoggedFault: LogLimiter] = [:]

    init(_ logger: Logger) {
        self.logger = logger
    }

    mutating func report(
        _ fault: LoggedFault,
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

/// A rate limiter for log lines, which prevents repeated faults caused by a peer from filling the disk.
struct LogLimiter {
    static let interval = TimeAmount.seconds(1)

    private var next: NIODeadline?
    private var suppressed = 0

    /// Decides whether a line may be logged.
    ///
    /// - Returns: The number of lines suppressed since the last logged line; `nil` if the line must also be
    ///   suppressed.
    mutating func admit(at now: NIODeadline) -> Int? {
        if let next = self.next, now < next {
            self.suppressed += 1
            return nil
        }
        defer { self.suppressed = 0 }
        self.next = now + Self.interval
        return self.suppressed
    }
}
