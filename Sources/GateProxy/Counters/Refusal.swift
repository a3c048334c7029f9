import Logging

/// A reason to reject a connection or a request in order to protect the gate.
///
/// Each reason has a counter and a log message.
enum Refusal: CaseIterable {
    case connections
    case connectionsPerAddress
    case proxyHeader
    case pendingRequests
    case lateness
    case descriptors
    case accept

    var counter: WritableKeyPath<GateCounters, UInt64> {
        switch self {
        case .connections: \.connectionsRefused
        case .connectionsPerAddress: \.connectionsPerAddressRefused
        case .proxyHeader: \.proxyHeadersRefused
        case .pendingRequests: \.requestsShed
        case .lateness: \.requestsLate
        case .descriptors: \.descriptorsExhausted
        case .accept: \.acceptFailures
        }
    }

    var message: Logger.Message {
        switch self {
        case .connections: "connection refused: --max-connections has been reached"
        case .connectionsPerAddress:
            "connection refused: --max-connections-per-address has been reached"
        case .proxyHeader: "connection refused: PROXY protocol error"
        case .pendingRequests: "request refused: --max-pending-requests has been reached"
        case .lateness: "request refused: the event loop is overloaded"
        case .descriptors: "request refused: no resources left for a connection to the backend"
        case .accept: "cannot accept connections; retrying in one second"
        }
    }
}
