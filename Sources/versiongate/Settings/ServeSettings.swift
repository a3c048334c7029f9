import GateAdmin
import GateControl
import GateFeeds
import GateProxy
import GateRecords
import GateRules
import GateSystem
import GateWire
import Logging
import NIOCore

/// The parsed settings of `versiongate serve`.
struct ServeSettings {
    var gate: GateSettings
    /// The path of the rules file or folder.
    var rules: String
    /// The folder for data that is kept across restarts; `nil` if none is configured.
    var stateDir: String?
    /// The file to which the active rules are published for the Envoy module; `nil` if none is configured.
    var publishRules: String?
    /// Whether the gate exits if the rules are invalid or rejected at startup.
    var isStrictStart: Bool
    /// The PEM file with CA certificates for feeds, in addition to the system's.
    var feedCA: String?
    /// The endpoint of the admin listener, for operators and webhooks; `nil` if there is none.
    var adminListen: Endpoint?
    var adminToken: AdminTokenFile?
    /// The seal that passes are verified with; `nil` if no secret is configured.
    var passes: PassSeal?
    /// The collector for metrics; `nil` if there is none.
    var metricsExport: (url: FetchURL, interval: Duration)?
    /// The settings of the census; `nil` if it is off.
    var census: CensusSettings?
    /// The time that requests may take to complete after SIGTERM.
    var drainTimeout: TimeAmount
    var logFormat: LogFormat
    var logLevel: Logger.Level

    /// Creates the settings from the values that `reader` finds.
    ///
    /// - Throws: An error for the first setting that is missing or invalid.
    init(_ reader: SettingsReader) throws(SettingsError) {
        var gate = try Self.listeners(reader)
        gate.tlsListen = try reader.optional(\.tlsListen)
        gate.tls = try TLSFiles(reader)
        if gate.tlsListen != nil, gate.tls == nil { throw .missing(\.tlsCertificate) }
        gate.threads = try reader.optional(\.threads) ?? System.coreCount
        gate.maxConnections = try reader.value(\.maxConnections)
        gate.maxConnectionsPerAddress = try reader.optional(\.maxConnectionsPerAddress)
        gate.maxPendingRequests = try reader.value(\.maxPendingRequests)
        gate.reusesPort = try reader.value(\.reusePort)
        gate.drainDelay = try reader.optional(\.drainDelay) ?? .zero
        gate.maxEventStreams = try reader.value(\.maxEventStreams)
        gate.bypassesChannels = try reader.value(\.socketBypass)
        gate.servesClients = try reader.value(\.clientEndpoints)
        gate.maxBodyBytes = try reader.optional(\.maxBodyBytes).map(UInt64.init)
        gate.discardLimits.awaitedBytes = UInt64(try reader.value(\.maxAwaitedBytes))
        gate.discardLimits.awaitedTime = try reader.value(\.awaitTimeout)
        gate.discardLimits.bytes = UInt64(try reader.value(\.maxDiscardedBytes))
        gate.discardLimits.time = try reader.value(\.discardTimeout)
        gate.trustedProxies = try reader.optional(\.trustedProxies) ?? .none
        gate.readsProxyHeaders = try reader.value(\.proxyProtocol)
        if gate.readsProxyHeaders, gate.trustedProxies == .none {
            throw SettingsError(
                "--proxy-protocol needs --trusted-proxies: the addresses from which PROXY protocol headers are accepted"
            )
        }
        gate.headLimits = HeadLimits(
            bytes: try reader.value(\.maxHeadBytes),
            fields: try reader.value(\.maxHeaderCount),
            target: try reader.value(\.maxTargetBytes)
        )
        gate.timeouts.head = try reader.value(\.headTimeout)
        gate.timeouts.idle = try reader.value(\.idleTimeout)
        gate.timeouts.body = try reader.value(\.bodyTimeout)
        gate.timeouts.connect = try reader.value(\.connectTimeout)
        gate.timeouts.response = try reader.value(\.responseTimeout)
        gate.timeouts.tunnel = try reader.value(\.tunnelTimeout)
        gate.timeouts.upstreamPing = try reader.value(\.upstreamPing)
        gate.parkAfter = try reader.value(\.parkAfter)
        self.logFormat = try reader.value(\.logFormat)
        let accessLogFormat =
            try reader.optional(\.accessLogFormat) ?? self.logFormat.ofAccessLog
        gate.accessLog = try reader.value(\.accessLog) ? accessLogFormat : nil
        if let seal = try reader.open(\.previewSecretFile, { try PreviewSeal(path: $0) }) {
            gate.previews = { field, now in seal.read(field, at: now) }
        }
        self.passes = try reader.open(\.previewSecretFile) { try PassSeal(path: $0) }
        gate.measuresLatency = try reader.value(\.latencyMetrics)
        self.gate = gate
        self.rules = try reader.value(\.rules)
        self.stateDir = try reader.optional(\.stateDir)
        self.publishRules = try reader.optional(\.publishRules)
        if self.publishRules != nil, self.stateDir == nil {
            throw SettingsError(
                "\(Settings[\.publishRules].name.flag) needs \(Settings[\.stateDir].name.flag): after a restart without "
                    + "it, the published rules would lack the values from feeds"
            )
        }
        self.isStrictStart = try reader.value(\.strictStart)
        self.feedCA = try reader.optional(\.feedCA)
        self.adminListen = try reader.optional(\.adminListen)
        self.adminToken = try reader.open(\.adminTokenFile) { try AdminTokenFile(path: $0) }
        if let url = try reader.optional(\.otlpEndpoint) {
            let interval = try reader.value(\.otlpInterval)
            self.metricsExport = (url, .nanoseconds(interval.nanoseconds))
        } else if reader.isSet(\.otlpInterval) {
            throw .idle(
                \.otlpInterval,
                because: "there is no \(Settings[\.otlpEndpoint].name.flag)"
            )
        }
        self.census = try CensusSettings(reader)
        self.drainTimeout = try reader.value(\.drainTimeout)
        self.logLevel = try reader.value(\.logLevel)
    }

    /// The rules loader, which checks the rules in the context of this gate.
    var loader: RulesFileLoader {
        let context = GateContext(
            backends: self.gate.upstream.selectable,
            servesGateways: self.gate.decideListen != nil
        )
        return RulesFileLoader(path: self.rules, gate: context)
    }

    /// Creates the publisher of the rules; returns `nil` if none is configured.
    func publisher(logger: Logger) throws(SettingsError) -> RulesPublisher? {
        try Settings.open(\.publishRules, self.publishRules) { path in
            try RulesPublisher(path: path, besides: self.rules, logger: logger)
        }
    }

    /// Returns settings with the addresses and the backends.
    ///
    /// Without a backend, the gate only handles authorization requests.
    private static func listeners(
        _ reader: SettingsReader
    ) throws(SettingsError) -> GateSettings {
        let decideListen = try reader.optional(\.decideListen)
        let targets =
            decideListen == nil ? try reader.value(\.upstream) : try reader.optional(\.upstream)
        if targets == nil {
            let reason = "there is no \(Settings[\.upstream].name.flag)"
            if reader.isSet(\.listen) { throw .idle(\.listen, because: reason) }
            if reader.isSet(\.tlsListen) { throw .idle(\.tlsListen, because: reason) }
            if reader.isSet(\.upstreamNamed) { throw .idle(\.upstreamNamed, because: reason) }
        }
        var gate = GateSettings(
            listen: targets == nil ? nil : try reader.value(\.listen),
            upstream: try Self.upstream(targets ?? [], reader)
        )
        // With --reuse-port, both listeners could bind, and each would get some of the connections.
        if let decideListen, decideListen.port != 0,
            [gate.listen, try reader.optional(\.tlsListen)].contains(decideListen)
        {
            throw SettingsError(
                "\(Settings[\.decideListen].name.flag) '\(decideListen)': "
                    + "another listener uses the same address; use another port"
            )
        }
        gate.decideListen = decideListen
        return gate
    }

    private static func upstream(
        _ targets: [UpstreamTarget],
        _ reader: SettingsReader
    ) throws(SettingsError) -> UpstreamSettings {
        let choice = try reader.value(\.upstreamProtocol)
        let targets = try targets.map { (target) throws(SettingsError) in
            guard let target = target.speaking(choice) else {
                throw SettingsError(
                    "\(Settings[\.upstreamProtocol].name.flag) \(choice.rawValue): "
                        + "\(Settings[\.upstream].name.flag) '\(target)' uses HTTP/2"
                )
            }
            return target
        }
        var upstream = UpstreamSettings(targets: targets)
        upstream.named = try reader.optional(\.upstreamNamed) ?? []
        upstream.refresh = try reader.value(\.dnsRefresh)
        upstream.tls = try Self.upstreamTLS(reader, for: upstream)
        return upstream
    }

    private static func upstreamTLS(
        _ reader: SettingsReader,
        for upstream: UpstreamSettings
    ) throws(SettingsError) -> UpstreamTLS? {
        let authorities = try reader.optional(\.upstreamCA)
        let name = try reader.optional(\.upstreamServerName)
        let reason = "no \(Settings[\.upstream].name.flag) is https://"
        if name != nil, !upstream.targets.contains(where: \.isSecure) {
            throw .idle(\.upstreamServerName, because: reason)
        }
        let targets = upstream.allTargets.filter(\.isSecure)
        guard !targets.isEmpty else {
            if authorities != nil { throw .idle(\.upstreamCA, because: reason) }
            return nil
        }
        do {
            return try UpstreamTLS(
                authorities: authorities,
                serverName: name,
                protocols: Set(targets.map(\.speaks))
            )
        } catch {
            throw SettingsError(
                "\(Settings[\.upstreamCA].name.flag) '\(authorities ?? "")': \(error)"
            )
        }
    }
}

extension RulesFileLoader {
    /// Creates a loader that supports all kinds of feeds and uses the system's clock.
    init(path: String, gate: GateContext = .unknown) {
        self.init(path: path, feedKinds: .all, gate: gate, now: SystemClock.now)
    }
}

extension TLSFiles {
    /// Creates the list of configured TLS files; returns `nil` if none are configured.
    ///
    /// - Throws: An error if the numbers of certificates and keys differ.
    init?(_ reader: SettingsReader) throws(SettingsError) {
        let certificates = try reader.optional(\.tlsCertificate) ?? []
        let keys = try reader.optional(\.tlsKey) ?? []
        let authorities = try reader.optional(\.tlsClientCA)
        let pairs = zip(certificates, keys).map { Pair(certificates: $0, key: $1) }
        guard certificates.count == keys.count else {
            throw SettingsError(
                "\(Settings[\.tlsCertificate].name.flag) names \(certificates.count) files and "
                    + "\(Settings[\.tlsKey].name.flag) \(keys.count): give one key for each certificate"
            )
        }
        guard let first = pairs.first else {
            if authorities != nil { throw .missing(\.tlsCertificate) }
            return nil
        }
        self.init(
            first: first,
            others: Array(pairs.dropFirst()),
            clientAuthorities: authorities
        )
    }
}
