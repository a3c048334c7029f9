/// An option of `versiongate serve`, in addition to those that every test uses.
package enum GateFlag: Sendable, Equatable {
    case drainDelay(seconds: Int)
    case drainTimeout(seconds: Int)
    case headTimeout(seconds: Int)
    case idleTimeout(seconds: Int)
    /// `nil` means off.
    case parkAfter(seconds: Double?)
    case bodyTimeout(seconds: Int)
    case awaitTimeout(seconds: Int)
    case discardTimeout(seconds: Int)
    case connectTimeout(seconds: Int)
    case responseTimeout(seconds: Int)
    case maxHeadBytes(Int)
    case maxHeaderCount(Int)
    case maxTargetBytes(Int)
    case maxBodyBytes(Int)
    case maxAwaitedBytes(Int)
    case maxDiscardedBytes(Int)
    case maxConnections(Int)
    case maxEventStreams(Int)
    case maxConnectionsPerAddress(Int)
    case maxPendingRequests(Int)
    case proxyProtocol(trusted: String)
    case trustedProxies(String)
    case listen(port: UInt16)
    case reusePort
    case socketBypass(Bool)
    case threads(Int)
    case accessLog
    /// `common`, `combined` or `json`.
    case accessLogFormat(String)
    /// `text` or `json`.
    case logFormat(String)
    case upstreamNamed(String)
    case upstreamCA(path: String)
    case upstreamServerName(String)
    case upstreamProtocol(String)
    case upstreamPing(seconds: Int)
    case tls(certificates: [String], keys: [String])
    /// A second listener on a free port.
    case tlsListen
    case tlsClientAuthority(String)
    /// A listener for gateways that ask for decisions, by default on a free port of 127.0.0.1.
    case decideListen(String = "127.0.0.1:0")
    case stateDir(path: String)
    case publishRules(path: String)
    case strictStart
    case feedCA(path: String)
    /// An admin listener, by default on a free port of 127.0.0.1.
    case adminListen(String = "0")
    case adminTokenFile(path: String)
    case previewSecretFile(path: String)
    case latencyMetrics(Bool)
    /// Exports the metrics to a collector five times a second.
    case metricsExport(url: String)
    case census(Bool)
    case censusDevices(Bool)
    case censusMaxCells(Int)
    case censusInterval(seconds: Double)
    case censusKeyFile(path: String)
    /// A store that all gates of a fleet share, and the files of both secrets.
    case censusStore(url: String, passwordFile: String, keyFile: String)
    /// The CA for that store, and the client certificate for it.
    case censusStoreTLS(authority: String, certificate: String, key: String)
    case logLevel(String)

    var arguments: [String] {
        switch self {
        case .drainDelay(let seconds): ["--drain-delay", "\(seconds)"]
        case .drainTimeout(let seconds): ["--drain-timeout", "\(seconds)"]
        case .headTimeout(let seconds): ["--head-timeout", "\(seconds)"]
        case .idleTimeout(let seconds): ["--idle-timeout", "\(seconds)"]
        case .parkAfter(let seconds): ["--park-after", seconds.map { "\($0)" } ?? "off"]
        case .bodyTimeout(let seconds): ["--body-timeout", "\(seconds)"]
        case .awaitTimeout(let seconds): ["--await-timeout", "\(seconds)"]
        case .discardTimeout(let seconds): ["--discard-timeout", "\(seconds)"]
        case .connectTimeout(let seconds): ["--connect-timeout", "\(seconds)"]
        case .responseTimeout(let seconds): ["--response-timeout", "\(seconds)"]
        case .maxHeadBytes(let bytes): ["--max-head-bytes", "\(bytes)"]
        case .maxHeaderCount(let count): ["--max-header-count", "\(count)"]
        case .maxTargetBytes(let bytes): ["--max-target-bytes", "\(bytes)"]
        case .maxBodyBytes(let bytes): ["--max-body-bytes", "\(bytes)"]
        case .maxAwaitedBytes(let bytes): ["--max-awaited-bytes", "\(bytes)"]
        case .maxDiscardedBytes(let bytes): ["--max-discarded-bytes", "\(bytes)"]
        case .maxConnections(let count): ["--max-connections", "\(count)"]
        case .maxEventStreams(let count): ["--max-event-streams", "\(count)"]
        case .maxConnectionsPerAddress(let count):
            ["--max-connections-per-address", "\(count)"]
        case .maxPendingRequests(let count): ["--max-pending-requests", "\(count)"]
        case .proxyProtocol(let trusted):
            ["--proxy-protocol", "on", "--trusted-proxies", trusted]
        case .trustedProxies(let trusted): ["--trusted-proxies", trusted]
        case .listen(let port): ["--listen", "127.0.0.1:\(port)"]
        case .reusePort: ["--reuse-port"]
        case .socketBypass(let bypasses): ["--socket-bypass", "\(bypasses)"]
        case .threads(let count): ["--threads", "\(count)"]
        case .accessLog: ["--access-log"]
        case .accessLogFormat(let format): ["--access-log-format", format]
        case .logFormat(let format): ["--log-format", format]
        case .upstreamNamed(let backends): ["--upstream-named", backends]
        case .upstreamCA(let path): ["--upstream-ca", path]
        case .upstreamServerName(let name): ["--upstream-server-name", name]
        case .upstreamProtocol(let name): ["--upstream-protocol", name]
        case .upstreamPing(let seconds): ["--upstream-ping", "\(seconds)"]
        case .tls(let certificates, let keys):
            [
                "--tls-certificate", certificates.joined(separator: ","),
                "--tls-key", keys.joined(separator: ","),
            ]
        case .tlsListen: ["--tls-listen", "127.0.0.1:0"]
        case .decideListen(let place): ["--decide-listen", place]
        case .tlsClientAuthority(let path): ["--tls-client-ca", path]
        case .stateDir(let path): ["--state-dir", path]
        case .publishRules(let path): ["--publish-rules", path]
        case .strictStart: ["--strict-start"]
        case .feedCA(let path): ["--feed-ca", path]
        case .adminListen(let place): ["--admin-listen", place]
        case .adminTokenFile(let path): ["--admin-token-file", path]
        case .previewSecretFile(let path): ["--preview-secret-file", path]
        case .latencyMetrics(let measures): ["--latency-metrics", "\(measures)"]
        case .metricsExport(let url): ["--otlp-endpoint", url, "--otlp-interval", "0.2"]
        case .census(let counts): ["--census", counts ? "on" : "off"]
        case .censusDevices(let counts): ["--census-devices", counts ? "on" : "off"]
        case .censusMaxCells(let count): ["--census-max-cells", "\(count)"]
        case .censusInterval(let seconds): ["--census-interval", "\(seconds)"]
        case .censusKeyFile(let path): ["--census-key-file", path]
        case .censusStore(let url, let passwordFile, let keyFile):
            [
                "--census-store", url,
                "--census-store-password-file", passwordFile, "--census-key-file", keyFile,
            ]
        case .censusStoreTLS(let authority, let certificate, let key):
            [
                "--census-store-ca", authority, "--census-store-certificate", certificate,
                "--census-store-key", key,
            ]
        case .logLevel(let level): ["--log-level", level]
        }
    }
}
