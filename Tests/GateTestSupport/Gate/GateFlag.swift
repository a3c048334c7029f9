/// An option of `versiongate serve` beyond those that every test sets.
package enum GateFlag: Sendable, Equatable {
    case drainTimeout(seconds: Int)
    case headTimeout(seconds: Int)
    case idleTimeout(seconds: Int)
    case connectTimeout(seconds: Int)
    case responseTimeout(seconds: Int)
    case maxHeadBytes(Int)
    case maxHeaderCount(Int)
    case maxTargetBytes(Int)
    case maxBodyBytes(Int)
    case maxConnections(Int)
    case maxEventStreams(Int)
    case accessLog

    var arguments: [String] {
        switch self {
        case .drainTimeout(let seconds): ["--drain-timeout", "\(seconds)"]
        case .headTimeout(let seconds): ["--head-timeout", "\(seconds)"]
        case .idleTimeout(let seconds): ["--idle-timeout", "\(seconds)"]
        case .connectTimeout(let seconds): ["--connect-timeout", "\(seconds)"]
        case .responseTimeout(let seconds): ["--response-timeout", "\(seconds)"]
        case .maxHeadBytes(let bytes): ["--max-head-bytes", "\(bytes)"]
        case .maxHeaderCount(let count): ["--max-header-count", "\(count)"]
        case .maxTargetBytes(let bytes): ["--max-target-bytes", "\(bytes)"]
        case .maxBodyBytes(let bytes): ["--max-body-bytes", "\(bytes)"]
        case .maxConnections(let count): ["--max-connections", "\(count)"]
        case .maxEventStreams(let count): ["--max-event-streams", "\(count)"]
        case .accessLog: ["--access-log"]
        }
    }
}
