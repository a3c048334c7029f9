import ArgumentParser

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

extension ParsableArguments {
    /// The texts of the options that are settings.
    ///
    /// Such an option is a property with the raw value of its setting as its name.
    var flags: [Setting: String] {
        var texts: [Setting: String] = [:]
        for child in Mirror(reflecting: self).children {
            if let group = child.value as? OptionGroup<FleetFlags> {
                texts.merge(group.wrappedValue.flags) { $1 }
            }
            // The name of the property, with the underscore of its wrapper.
            guard let name = child.label?.dropFirst(), let setting = Setting(rawValue: String(name))
            else { continue }
            switch child.value {
            case let option as Option<String?>: texts[setting] = option.wrappedValue
            case let flag as Flag<Bool>: texts[setting] = flag.wrappedValue ? "true" : nil
            // It would be passed over in silence.
            default: preconditionFailure("the option of \(setting) is neither a text nor a flag")
            }
        }
        return texts
    }
}
