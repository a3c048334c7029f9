import GateCensus
import GateProxy
import GateRecords
import GateSystem
import GateWire
import Logging
import NIOCore

/// The settings of `versiongate serve`, one per row.
///
/// The rows define the help of the options, the environment variables, the keys of the configuration file and
/// `docs/settings.md`. An option's property in `Serve`, or in one of its option groups, has the name of the key,
/// which links the option to its row.
struct Settings: Sendable {
    // MARK: Client listeners

    let listen = Setting(
        "listen",
        .endpoint,
        default: "127.0.0.1:8080",
        "Address to listen on for clients, HOST:PORT"
    )
    let tlsListen = Setting(
        "tlsListen",
        .endpoint,
        absence: "none; --listen uses TLS if --tls-certificate is set",
        "Second address to listen on, for TLS only"
    )
    let decideListen = Setting(
        "decideListen",
        .endpoint,
        absence: "no authorization requests are accepted",
        "Address to listen on for authorization requests from gateways, HOST:PORT"
    )
    let tlsCertificate = Setting(
        "tlsCertificate",
        .paths,
        absence: "no TLS",
        "Certificate files (PEM), separated by commas; if SNI selects none, the first is used"
    )
    let tlsKey = Setting(
        "tlsKey",
        .paths,
        "Private key files (PEM) for the certificates, in the same order"
    )
    let tlsClientCA = Setting(
        "tlsClientCa",
        .path,
        absence: "client certificates are not requested",
        "PEM file with the CA certificates for verifying client certificates"
    )
    let reusePort = Setting(
        "reusePort",
        default: false,
        "Share the address with another gate, so that one can replace the other (SO_REUSEPORT)"
    )
    let trustedProxies = Setting(
        "trustedProxies",
        .trustedProxies,
        absence: "none",
        "Proxies whose X-Forwarded-* headers are trusted, separated by commas"
    )
    let proxyProtocol = Setting(
        "proxyProtocol",
        default: false,
        "Whether each connection from --trusted-proxies starts with a PROXY protocol header"
    )
    let clientEndpoints = Setting(
        "clientEndpoints",
        default: true,
        "Whether the gate serves its client endpoints, under /.versiongate/"
    )

    // MARK: The backend

    let upstream = Setting(
        "upstream",
        .backends,
        absence: "required, unless --decide-listen is set; --listen needs --upstream",
        "Backends, used in turn: http(s)://HOST[:PORT], h2c://HOST[:PORT] or unix:/PATH"
    )
    let upstreamNamed = Setting(
        "upstreamNamed",
        .namedBackends,
        absence: "none",
        "Backends that rules can select (see 'route' in docs/rules.md): NAME=URL[,URL…][,NAME=URL…]"
    )
    let upstreamProtocol = Setting<UpstreamProtocolChoice>(
        "upstreamProtocol",
        .word,
        default: "auto",
        "Protocol for connections to --upstream; with auto, https backends select it by ALPN"
    )
    let upstreamPing = Setting(
        "upstreamPing",
        default: GateTimeouts.defaults.upstreamPing,
        "Seconds without data from an HTTP/2 backend before the gate sends a PING"
    )
    let dnsRefresh = Setting(
        "dnsRefresh",
        default: Self.gate.upstream.refresh,
        "Seconds between DNS lookups of backend names"
    )
    let upstreamCA = Setting(
        "upstreamCa",
        .path,
        absence: "the system's",
        "PEM file with the CA certificates for https backends"
    )
    let upstreamServerName = Setting(
        "upstreamServerName",
        SettingFormat("a host name") { UpstreamTLS.isServerName($0) ? $0 : nil },
        absence: "the host in --upstream",
        "Server name that the certificate of an https --upstream must match"
    )

    // MARK: Rules and feeds

    let rules = Setting("rules", .path, "Rules: a YAML or JSON file, or a directory of such files")
    let stateDir = Setting(
        "stateDir",
        .path,
        absence: "nothing is stored",
        "Directory of this gate for data to keep across restarts: the last good rules, feed data, the census and more"
    )
    let publishRules = Setting(
        "publishRules",
        .path,
        absence: "nothing is written",
        "File to write the active rules to, for the module in Envoy; needs --state-dir, and the directory must exist"
    )
    let strictStart = Setting(
        "strictStart",
        default: false,
        "Exit with 1 if the rules are invalid or rejected at startup; never use the last good rules"
    )
    let feedCA = Setting(
        "feedCa",
        .path,
        absence: "none",
        "PEM file with CA certificates for feeds, in addition to the system's"
    )

    // MARK: Operators and testers

    let adminListen = Setting(
        "adminListen",
        .adminEndpoint,
        absence: "no admin listener",
        "Address of the admin listener, for operators and webhooks: [HOST:]PORT"
    )
    let adminTokenFile = Setting(
        "adminTokenFile",
        .path,
        absence: "no tokens; --admin-listen must be a loopback address",
        "File with admin tokens, one per line; every request except probes and signed webhooks must "
            + "contain one, regardless of the listen address"
    )
    let previewSecretFile = Setting(
        "previewSecretFile",
        .path,
        absence: "none",
        "File with the secrets for signing previews and passes"
    )
    let latencyMetrics = Setting(
        "latencyMetrics",
        default: true,
        "Whether latencies are measured for the metrics"
    )
    let otlpEndpoint = Setting(
        "otlpEndpoint",
        .fetchURL,
        absence: "metrics are not exported",
        "URL of an OpenTelemetry collector, to which the metrics are sent (OTLP over HTTP)"
    )
    let otlpInterval = Setting(
        "otlpInterval",
        default: .seconds(60),
        "Interval in seconds for sending the metrics to the collector"
    )

    // MARK: The census

    let census = Setting(
        "census",
        default: true,
        "Whether clients are counted by version and build (see docs/census.md)"
    )
    let censusMaxCells = Setting(
        "censusMaxCells",
        .number(1...100_000),
        default: "2000",
        "Maximum number of kinds of clients that the census distinguishes per minute"
    )
    let censusInterval = Setting(
        "censusInterval",
        default: .seconds(10),
        "Seconds between writes of the census; a crash loses the counts since the last write"
    )
    let censusDevices = Setting(
        "censusDevices",
        default: true,
        "Whether devices are counted in addition to requests"
    )
    let censusReturns = Setting(
        "censusReturns",
        .boolean,
        absence: "same as --census-devices",
        "Whether a sample of denied devices is kept, to report how many update"
    )
    let censusKeyFile = Setting(
        "censusKeyFile",
        SettingFormat("a file with 32 hexadecimal digits") { CensusKey.hash(fromFile: $0) },
        absence: "generated by the gate",
        "File with the key for hashing device IDs: 32 hexadecimal digits"
    )
    let censusStore = Setting(
        "censusStore",
        // Parsed elsewhere, because an error here would contain the value, which may include a password.
        SettingFormat("redis://[[USER]:PASSWORD@]HOST[:PORT][/NUMBER], or rediss:// for TLS") {
            $0
        },
        absence: "none",
        "Redis or Valkey server that merges the device counts of all gates (rediss:// for TLS)"
    )
    let censusStorePasswordFile = Setting(
        "censusStorePasswordFile",
        SettingFormat("a file with a password") { RedisAddress.password(inFile: $0) },
        "File with the password of the census store"
    )
    let censusStoreCA = Setting(
        "censusStoreCa",
        .path,
        absence: "none",
        "PEM file with CA certificates for the census store, in addition to the system's"
    )
    let censusStoreCertificate = Setting(
        "censusStoreCertificate",
        SettingFormat("a file with a certificate in PEM format") {
            ClientCertificate.part(inFile: $0)
        },
        "PEM file with the client certificate for the census store"
    )
    let censusStoreKey = Setting(
        "censusStoreKey",
        SettingFormat("a file with a key in PEM format") { ClientCertificate.part(inFile: $0) },
        "PEM file with the key of the client certificate for the census store"
    )

    // MARK: Threads and timeouts

    let threads = Setting(
        "threads",
        .number(1...256),
        absence: "one per core",
        "Number of event loops, each on its own thread"
    )
    let drainDelay = Setting(
        "drainDelay",
        .seconds,
        absence: "none",
        "Seconds to keep accepting requests after SIGTERM, while /-/ready returns 503"
    )
    let drainTimeout = Setting(
        "drainTimeout",
        default: .seconds(30),
        "Seconds allowed for in-flight requests to complete after SIGTERM and --drain-delay"
    )
    let headTimeout = Setting(
        "headTimeout",
        default: GateTimeouts.defaults.head,
        "Seconds allowed to receive a request head"
    )
    let idleTimeout = Setting(
        "idleTimeout",
        default: GateTimeouts.defaults.idle,
        "Seconds that a connection may be idle between two requests"
    )
    let parkAfter = Setting(
        "parkAfter",
        .secondsOrOff,
        default: Self.gate.parkAfter.map { Self.text($0) } ?? "off",
        "Seconds after which an idle connection without TLS is parked; off disables parking"
    )
    let bodyTimeout = Setting(
        "bodyTimeout",
        default: GateTimeouts.defaults.body,
        "Seconds allowed between two chunks of a request body"
    )
    let awaitTimeout = Setting(
        "awaitTimeout",
        default: DiscardLimits.defaults.awaitedTime,
        "Seconds that a denial may wait until the request body is complete"
    )
    let discardTimeout = Setting(
        "discardTimeout",
        default: DiscardLimits.defaults.time,
        "Seconds allowed to read and discard a denied request's body after the response"
    )
    let connectTimeout = Setting(
        "connectTimeout",
        default: GateTimeouts.defaults.connect,
        "Seconds allowed to connect to a backend"
    )
    let responseTimeout = Setting(
        "responseTimeout",
        default: GateTimeouts.defaults.response,
        "Seconds allowed for a backend to respond, and between two chunks of its response"
    )
    let tunnelTimeout = Setting(
        "tunnelTimeout",
        default: GateTimeouts.defaults.tunnel,
        "Seconds without data before a WebSocket or other tunnel is closed"
    )

    // MARK: Limits

    let maxHeadBytes = Setting(
        "maxHeadBytes",
        .number(256...1_048_576),
        default: "\(HeadLimits.defaults.bytes)",
        "Maximum size of a request head in bytes"
    )
    let maxHeaderCount = Setting(
        "maxHeaderCount",
        .number(1...10_000),
        default: "\(HeadLimits.defaults.fields)",
        "Maximum number of header fields in a request"
    )
    let maxTargetBytes = Setting(
        "maxTargetBytes",
        .number(16...1_048_576),
        default: "\(HeadLimits.defaults.target)",
        "Maximum size of a request target in bytes"
    )
    let maxBodyBytes = Setting(
        "maxBodyBytes",
        .number(0 ... .max),
        absence: "no limit",
        "Maximum size of a request body in bytes"
    )
    let maxAwaitedBytes = Setting(
        "maxAwaitedBytes",
        .number(0 ... .max),
        default: "\(DiscardLimits.defaults.awaitedBytes)",
        "Maximum size in bytes of a request body that a denial waits for"
    )
    let maxDiscardedBytes = Setting(
        "maxDiscardedBytes",
        .number(0 ... .max),
        default: "\(DiscardLimits.defaults.bytes)",
        "Maximum number of bytes of a denied request's body to discard after the response"
    )
    let maxConnections = Setting(
        "maxConnections",
        .number(1...10_000_000),
        default: "\(Self.gate.maxConnections)",
        "Maximum number of client connections"
    )
    let maxConnectionsPerAddress = Setting(
        "maxConnectionsPerAddress",
        .number(1...10_000_000),
        absence: "no limit",
        "Maximum number of connections per client address or IPv6 /64"
    )
    let maxPendingRequests = Setting(
        "maxPendingRequests",
        .number(1...10_000_000),
        default: "\(Self.gate.maxPendingRequests)",
        "Maximum number of requests that wait for the backend"
    )
    let maxEventStreams = Setting(
        "maxEventStreams",
        .number(0...10_000_000),
        default: "\(Self.gate.maxEventStreams)",
        "Maximum number of clients connected to the event stream"
    )
    let socketBypass = Setting(
        "socketBypass",
        default: true,
        "Whether sockets without TLS are written to directly, bypassing NIO channels"
    )

    // MARK: Logs

    let accessLog = Setting(
        "accessLog",
        default: false,
        "Write an access log line for each request"
    )
    let accessLogFormat = Setting<AccessLogFormat>(
        "accessLogFormat",
        .word,
        absence: "combined, or json with --log-format json",
        "Format of the access log: common, combined, json or otel"
    )
    let logFormat = Setting<LogFormat>(
        "logFormat",
        .word,
        default: "text",
        "Format of log lines: text or json"
    )
    let logLevel = Setting<Logger.Level>(
        "logLevel",
        .word,
        default: "info",
        "Minimum level of logged events: trace to critical"
    )
}
