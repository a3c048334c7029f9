import Logging
import NIOCore

/// What clients and backends can bring about with each request.
enum Fault: Int, CaseIterable {
    case connections
    case connectionsPerAddress
    case proxyHeader
    case pendingRequests
    case lateness
    case descriptors
    case accept
    case unreachableBackend
    case lostBackend
    case malformedResponse

    var message: Logger.Message {
        switch self {
        case .connections: "connection refused: --max-connections is reached"
        case .connectionsPerAddress:
            "connection refused: --max-connections-per-address is reached"
        case .proxyHeader: "connection refused: PROXY protocol"
        case .pendingRequests: "request refused: --max-pending-requests is reached"
        case .lateness: "request refused: the event loop is late"
        case .descriptors: "request refused: no connection to the backend can be opened"
        case .accept: "cannot accept connections; trying again in a second"
        case .unreachableBackend: "cannot connect to the backend"
        case .lostBackend: "a connection to the backend was lost"
        case .malformedResponse: "malformed response from the backend"
        }
    }
}

/// The log lines of faults on one event loop: of each fault at most one a second, which says how many
/// more there were (`suppressed`).
struct FaultLog {
    private let logger: Logger
    private var limiters = [LogLimiter](repeating: LogLimiter(), count: Fault.allCases.count)

    init(_ logger: Logger) {
        self.logger = logger
    }

    mutating func report(
        _ fault: Fault,
        _ metadata: @autoclosure () -> Logger.Metadata = [:],
        at now: NIODeadline = .now()
    ) {
        guard let suppressed = self.limiters[fault.rawValue].admit(at: now) else { return }
        var metadata = metadata()
        if suppressed > 0 { metadata["suppressed"] = .stringConvertible(suppressed) }
        self.logger.warning(fault.message, metadata: metadata)
    }
}
