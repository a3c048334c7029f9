import ArgumentParser

/// The options of `serve`.
///
/// Each property is named after the key of its row in `Settings`. The options are one flat list instead of
/// nested option groups, because a debug build validates an inner group again for each validation of the outer
/// group, which took 0.1 s at each startup.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the gate.",
        discussion: """
            Each option can also be set in the environment (--drain-timeout is \
            VERSIONGATE_DRAIN_TIMEOUT) and in a YAML or JSON file (drainTimeout). Flags override \
            the environment, and the environment overrides the file.

            When started by systemd, the gate uses the sockets of a socket unit (LISTEN_FDS) \
            instead of --listen, a socket named decide instead of --decide-listen, and one named \
            admin instead of --admin-listen. It notifies systemd when it is ready, reloading or \
            stopping, and sends watchdog notifications (NOTIFY_SOCKET).

            The gate reloads the rules and the certificates on SIGHUP and when their files change. \
            On SIGTERM and SIGINT, it completes the in-flight requests and exits with 0.
            """
    )

    @Option(help: "YAML or JSON file with settings.") var config: String?
    @Option(help: .of(\.listen)) var listen: String?
    @Option(help: .of(\.tlsListen)) var tlsListen: String?
    @Option(help: .of(\.decideListen)) var decideListen: String?
    @Option(help: .of(\.tlsCertificate)) var tlsCertificate: String?
    @Option(help: .of(\.tlsKey)) var tlsKey: String?
    @Option(help: .of(\.tlsClientCA)) var tlsClientCa: String?
    @Option(help: .of(\.adminListen)) var adminListen: String?
    @Option(help: .of(\.adminTokenFile)) var adminTokenFile: String?
    @Option(help: .of(\.previewSecretFile)) var previewSecretFile: String?
    @Option(help: .of(\.latencyMetrics)) var latencyMetrics: String?
    @Option(help: .of(\.otlpEndpoint)) var otlpEndpoint: String?
    @Option(help: .of(\.otlpInterval)) var otlpInterval: String?
    @Option(help: .of(\.census)) var census: String?
    @Option(help: .of(\.censusMaxCells)) var censusMaxCells: String?
    @Option(help: .of(\.censusInterval)) var censusInterval: String?
    @Option(help: .of(\.censusDevices)) var censusDevices: String?
    @Option(help: .of(\.censusReturns)) var censusReturns: String?
    @OptionGroup var fleet: FleetFlags
    @Flag(help: .of(flag: \.reusePort)) var reusePort = false
    @Option(help: .of(\.proxyProtocol)) var proxyProtocol: String?
    @Option(help: .of(\.upstream)) var upstream: String?
    @Option(help: .of(\.upstreamNamed)) var upstreamNamed: String?
    @Option(help: .of(\.upstreamProtocol)) var upstreamProtocol: String?
    @Option(help: .of(\.upstreamPing)) var upstreamPing: String?
    @Option(help: .of(\.dnsRefresh)) var dnsRefresh: String?
    @Option(help: .of(\.upstreamCA)) var upstreamCa: String?
    @Option(help: .of(\.upstreamServerName)) var upstreamServerName: String?
    @Option(help: .of(\.rules)) var rules: String?
    @Option(help: .of(\.stateDir)) var stateDir: String?
    @Option(help: .of(\.publishRules)) var publishRules: String?
    @Flag(help: .of(flag: \.strictStart)) var strictStart = false
    @Option(help: .of(\.feedCA)) var feedCa: String?
    @Option(help: .of(\.threads)) var threads: String?
    @Option(help: .of(\.drainDelay)) var drainDelay: String?
    @Option(help: .of(\.drainTimeout)) var drainTimeout: String?
    @Option(help: .of(\.headTimeout)) var headTimeout: String?
    @Option(help: .of(\.idleTimeout)) var idleTimeout: String?
    @Option(help: .of(\.parkAfter)) var parkAfter: String?
    @Option(help: .of(\.bodyTimeout)) var bodyTimeout: String?
    @Option(help: .of(\.awaitTimeout)) var awaitTimeout: String?
    @Option(help: .of(\.discardTimeout)) var discardTimeout: String?
    @Option(help: .of(\.connectTimeout)) var connectTimeout: String?
    @Option(help: .of(\.responseTimeout)) var responseTimeout: String?
    @Option(help: .of(\.tunnelTimeout)) var tunnelTimeout: String?
    @Option(help: .of(\.maxHeadBytes)) var maxHeadBytes: String?
    @Option(help: .of(\.maxHeaderCount)) var maxHeaderCount: String?
    @Option(help: .of(\.maxTargetBytes)) var maxTargetBytes: String?
    @Option(help: .of(\.maxBodyBytes)) var maxBodyBytes: String?
    @Option(help: .of(\.maxAwaitedBytes)) var maxAwaitedBytes: String?
    @Option(help: .of(\.maxDiscardedBytes)) var maxDiscardedBytes: String?
    @Option(help: .of(\.maxConnections)) var maxConnections: String?
    @Option(help: .of(\.maxConnectionsPerAddress)) var maxConnectionsPerAddress: String?
    @Option(help: .of(\.maxPendingRequests)) var maxPendingRequests: String?
    @Option(help: .of(\.maxEventStreams)) var maxEventStreams: String?
    @Option(help: .of(\.socketBypass)) var socketBypass: String?
    @Option(help: .of(\.clientEndpoints)) var clientEndpoints: String?
    @Option(help: .of(\.trustedProxies)) var trustedProxies: String?
    @Flag(help: .of(flag: \.accessLog)) var accessLog = false
    @Option(help: .of(\.accessLogFormat)) var accessLogFormat: String?
    @Option(help: .of(\.logFormat)) var logFormat: String?
    @Option(help: .of(\.logLevel)) var logLevel: String?
}
