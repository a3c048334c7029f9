/// Why the gate turns somebody away to protect itself, each with a counter and log lines of its own.
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

    var fault: Fault {
        switch self {
        case .connections: .connections
        case .connectionsPerAddress: .connectionsPerAddress
        case .proxyHeader: .proxyHeader
        case .pendingRequests: .pendingRequests
        case .lateness: .lateness
        case .descriptors: .descriptors
        case .accept: .accept
        }
    }
}
