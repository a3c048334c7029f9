import ArgumentParser

/// The values of the command line, by setting.
extension Serve {
    var flags: [Setting: String] {
        let texts: [Setting: String?] = [
            .reusePort: self.reusePort ? "true" : nil, .proxyProtocol: self.proxyProtocol,
            .maxConnectionsPerAddress: self.maxConnectionsPerAddress,
            .maxPendingRequests: self.maxPendingRequests,
            .listen: self.listen, .tlsListen: self.tlsListen,
            .tlsCertificate: self.tlsCertificate, .tlsKey: self.tlsKey,
            .tlsClientCa: self.tlsClientCa, .adminListen: self.adminListen,
            .adminTokenFile: self.adminTokenFile, .previewSecretFile: self.previewSecretFile,
            .latencyMetrics: self.latencyMetrics,
            .census: self.census.census, .censusMaxCells: self.census.censusMaxCells,
            .censusInterval: self.census.censusInterval,
            .censusDevices: self.census.censusDevices,
            .censusReturns: self.census.censusReturns,
            .upstream: self.upstream,
            .upstreamProtocol: self.upstreamProtocol,
            .dnsRefresh: self.dnsRefresh, .upstreamCA: self.upstreamCA,
            .upstreamServerName: self.upstreamServerName, .rules: self.rules,
            .stateDir: self.stateDir,
            .strictStart: self.strictStart ? "true" : nil, .feedCA: self.feedCA,
            .threads: self.threads,
            .drainDelay: self.drainDelay, .drainTimeout: self.drainTimeout,
            .headTimeout: self.headTimeout, .idleTimeout: self.idleTimeout,
            .parkAfter: self.parkAfter,
            .bodyTimeout: self.bodyTimeout, .connectTimeout: self.connectTimeout,
            .responseTimeout: self.responseTimeout, .tunnelTimeout: self.tunnelTimeout,
            .upstreamPing: self.upstreamPing,
            .maxHeadBytes: self.maxHeadBytes, .maxHeaderCount: self.maxHeaderCount,
            .maxTargetBytes: self.maxTargetBytes, .maxBodyBytes: self.maxBodyBytes,
            .maxConnections: self.maxConnections, .maxEventStreams: self.maxEventStreams,
            .socketBypass: self.socketBypass,
            .clientEndpoints: self.clientEndpoints, .trustedProxies: self.trustedProxies,
            .accessLog: self.accessLog ? "true" : nil, .accessLogFormat: self.accessLogFormat,
            .logFormat: self.logFormat,
            .logLevel: self.logLevel,
        ]
        return texts.compactMapValues { $0 }.merging(self.census.fleet.flags) { $1 }
    }
}

/// The flags about the census.
struct CensusFlags: ParsableArguments {
    @Option(
        help: "Whether clients are counted by version and build: docs/census.md (default true)."
    )
    var census: String?
    @Option(help: "Kinds of clients that the census tells apart in a minute (default 2000).")
    var censusMaxCells: String?
    @Option(help: "Seconds after which the census is written, which a crash loses (default 10).")
    var censusInterval: String?
    @Option(help: "Whether devices are counted, and not requests alone (default true).")
    var censusDevices: String?
    @Option(
        help: "Whether a sample of refused devices is kept, to see who updates (default true)."
    )
    var censusReturns: String?
    @OptionGroup var fleet: FleetFlags
}

/// The flags about what the gates of a fleet share.
struct FleetFlags: ParsableArguments {
    @Option(help: "File with the key for device ids, 32 hexadecimal digits (default: its own).")
    var censusKeyFile: String?
    @Option(
        help: """
            Redis or Valkey that merges the devices of all gates, redis://HOST, or rediss://HOST for TLS \
            (default: none).
            """
    )
    var censusStore: String?
    @Option(help: "File with its password.")
    var censusStorePasswordFile: String?
    @Option(
        name: .customLong("census-store-ca"),
        help: "PEM file: who may vouch for it, besides those whom the system trusts."
    )
    var censusStoreCA: String?
    @Option(help: "PEM file: the certificate that it is shown, if it wants to see one.")
    var censusStoreCertificate: String?
    @Option(help: "PEM file: the key of that certificate.")
    var censusStoreKey: String?

    var flags: [Setting: String] {
        let texts: [Setting: String?] = [
            .censusKeyFile: self.censusKeyFile, .censusStore: self.censusStore,
            .censusStorePasswordFile: self.censusStorePasswordFile,
            .censusStoreCA: self.censusStoreCA,
            .censusStoreCertificate: self.censusStoreCertificate,
            .censusStoreKey: self.censusStoreKey,
        ]
        return texts.compactMapValues { $0 }
    }
}
