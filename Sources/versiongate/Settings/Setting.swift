/// Everything that can be set about `versiongate serve`.
///
/// The raw value is the key in the configuration file; the flag is the same in kebab-case, the
/// environment variable the same in upper snake case behind `VERSIONGATE_`.
enum Setting: String, CaseIterable {
    case listen
    case tlsListen
    case tlsCertificate
    case tlsKey
    case tlsClientCa
    case adminListen
    case adminTokenFile
    case previewSecretFile
    case latencyMetrics
    case census
    case censusMaxCells
    case censusInterval
    case censusDevices
    case censusReturns
    case censusKeyFile
    case censusStore
    case censusStorePasswordFile
    case censusStoreCA = "censusStoreCa"
    case censusStoreCertificate
    case censusStoreKey
    case reusePort
    case proxyProtocol
    case upstream
    case upstreamProtocol
    case upstreamPing
    case dnsRefresh
    case upstreamCA = "upstreamCa"
    case upstreamServerName
    case rules
    case stateDir
    case strictStart
    case feedCA = "feedCa"
    case threads
    case drainDelay
    case drainTimeout
    case headTimeout
    case idleTimeout
    case parkAfter
    case bodyTimeout
    case connectTimeout
    case responseTimeout
    case tunnelTimeout
    case maxHeadBytes
    case maxHeaderCount
    case maxTargetBytes
    case maxBodyBytes
    case maxConnections
    case maxConnectionsPerAddress
    case maxPendingRequests
    case maxEventStreams
    case clientEndpoints
    case socketBypass
    case trustedProxies
    case accessLog
    case accessLogFormat
    case logFormat
    case logLevel

    var flag: String {
        "--" + self.words.joined(separator: "-")
    }

    var environmentVariable: String {
        "VERSIONGATE_" + self.words.joined(separator: "_").uppercased()
    }

    private var words: [String] {
        self.rawValue.reduce(into: [""]) { words, character in
            if character.isUppercase { words.append("") }
            words[words.count - 1] += character.lowercased()
        }
    }
}
