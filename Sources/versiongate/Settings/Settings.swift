import GateCensus
import GatePolicy
import GateProxy
import GateRecords
import GateSystem
import GateWire
import Logging
import NIOCore

/// Everything that can be set about `versiongate serve`, one row each.
///
/// From these rows come the help of the options, the names in the environment, the keys of the configuration file
/// and `docs/settings.md`. `Serve`, or a group of its options, has a property for each key: so its flag is found.
struct Settings: Sendable {
    // MARK: Where clients connect

    let listen = Setting(
        "listen",
        .endpoint,
        default: "127.0.0.1:8080",
        "Where clients connect, HOST:PORT"
    )
    let tlsListen = Setting(
        "tlsListen",
        .endpoint,
        absence: "--listen speaks TLS, if there are certificates",
        "A second address, for TLS alone"
    )
    let tlsCertificate = Setting(
        "tlsCertificate",
        .paths,
        absence: "no TLS",
        "Certificates (PEM), by comma; SNI chooses, the first is taken if none fits"
    )
    let tlsKey = Setting("tlsKey", .paths, "Their keys in the same order, by comma")
    let tlsClientCA = Setting(
        "tlsClientCa",
        .path,
        absence: "none is asked for",
        "Authorities (PEM) that must have signed a client's certificate"
    )
    let reusePort = Setting(
        "reusePort",
        .boolean,
        default: "false",
        "Let another gate listen on the same address, to take over (SO_REUSEPORT)"
    )
    let trustedProxies = Setting(
        "trustedProxies",
        SettingForm("addresses or CIDR ranges, separated by commas") {
            TrustedProxies($0.split(separator: ",").map { String($0.filter { $0 != " " }) })
        },
        absence: "none",
        "Proxies whose X-Forwarded-* are believed: addresses and CIDR ranges, by comma"
    )
    let proxyProtocol = Setting(
        "proxyProtocol",
        .boolean,
        default: "false",
        "Whether each connection from --trusted-proxies begins with a PROXY header"
    )
    let clientEndpoints = Setting(
        "clientEndpoints",
        .boolean,
        default: "true",
        "Whether clients can ask the gate under /.versiongate/"
    )

    // MARK: The backend

    let upstream = Setting(
        "upstream",
        SettingForm(
            "http://HOST[:PORT], https://HOST[:PORT], h2c://HOST[:PORT] or unix:/PATH, "
                + "several separated by commas",
            hint: { UpstreamTarget.hint(for: $0) }
        ) { UpstreamTarget.list($0) },
        "The backend: http(s) or h2c://HOST[:PORT], or unix:/PATH; several, by comma, in turn"
    )
    let upstreamProtocol = Setting<UpstreamProtocolChoice>(
        "upstreamProtocol",
        .word,
        default: "auto",
        "http1 or http2: to the backend in no other; auto: https backends choose"
    )
    let upstreamPing = Setting(
        "upstreamPing",
        .seconds,
        default: Self.text(GateTimeouts.defaults.upstreamPing),
        "Seconds until an HTTP/2 backend that is silent is sent a PING"
    )
    let dnsRefresh = Setting(
        "dnsRefresh",
        .seconds,
        default: Self.text(Self.gate.upstream.refresh),
        "Seconds between two look-ups of the backend's name"
    )
    let upstreamCA = Setting(
        "upstreamCa",
        .path,
        absence: "whom the system trusts",
        "PEM file: who may vouch for an https backend"
    )
    let upstreamServerName = Setting(
        "upstreamServerName",
        SettingForm("a host name") { UpstreamTLS.isServerName($0) ? $0 : nil },
        absence: "its host",
        "Name in the certificate of an https backend"
    )

    // MARK: Rules and feeds

    let rules = Setting("rules", .path, "The rules: a YAML or JSON file, or a folder of them")
    let stateDir = Setting(
        "stateDir",
        .path,
        absence: "nothing is kept",
        "Folder for the last good rules and for what feeds said, for a restart"
    )
    let strictStart = Setting(
        "strictStart",
        .boolean,
        default: "false",
        "Never start by the last good rules: a file that is broken or refused exits 1"
    )
    let feedCA = Setting(
        "feedCa",
        .path,
        absence: "no others",
        "PEM file: who may vouch for a feed, besides those whom the system trusts"
    )

    // MARK: Operators and testers

    let adminListen = Setting(
        "adminListen",
        SettingForm("PORT or HOST:PORT") { text in
            // A port alone is this machine's: others are let in by name only.
            Endpoint(Int(text) == nil ? text : "127.0.0.1:\(text)")
        },
        absence: "nowhere",
        "Where operators look and reload, and webhooks come: [HOST:]PORT"
    )
    let adminTokenFile = Setting(
        "adminTokenFile",
        .path,
        absence: "none, and only loopback addresses for --admin-listen",
        "File with the tokens of operators, one a line; each request must show one, on any address"
    )
    let previewSecretFile = Setting(
        "previewSecretFile",
        .path,
        absence: "none",
        "File with the secret that previews for testers are signed by"
    )
    let latencyMetrics = Setting(
        "latencyMetrics",
        .boolean,
        default: "true",
        "Whether requests are timed for /metrics of the admin listener"
    )

    // MARK: The census

    let census = Setting(
        "census",
        .boolean,
        default: "true",
        "Whether clients are counted by version and build: docs/census.md"
    )
    let censusMaxCells = Setting(
        "censusMaxCells",
        .number(1...100_000),
        default: "2000",
        "Kinds of clients that the census tells apart in a minute"
    )
    let censusInterval = Setting(
        "censusInterval",
        .seconds,
        default: "10",
        "Seconds after which the census is written, which a crash loses"
    )
    let censusDevices = Setting(
        "censusDevices",
        .boolean,
        default: "true",
        "Whether devices are counted, and not requests alone"
    )
    let censusReturns = Setting(
        "censusReturns",
        .boolean,
        absence: "as --census-devices",
        "Whether a sample of refused devices is kept, to see who updates"
    )
    let censusKeyFile = Setting(
        "censusKeyFile",
        SettingForm("a file with 32 hexadecimal digits") { CensusKey.hash(fromFile: $0) },
        absence: "one of its own",
        "File with the key for device ids, 32 hexadecimal digits"
    )
    let censusStore = Setting(
        "censusStore",
        // Read elsewhere: an error here would show the text, which may have a password in it.
        SettingForm("redis://[[USER]:PASSWORD@]HOST[:PORT][/NUMBER], or rediss:// for TLS") { $0 },
        absence: "none",
        "Redis or Valkey that merges the devices of all gates, redis://HOST, or rediss://HOST for TLS"
    )
    let censusStorePasswordFile = Setting(
        "censusStorePasswordFile",
        SettingForm("a file with a password") { RedisAddress.password(inFile: $0) },
        "File with its password"
    )
    let censusStoreCA = Setting(
        "censusStoreCa",
        .path,
        absence: "no others",
        "PEM file: who may vouch for it, besides those whom the system trusts"
    )
    let censusStoreCertificate = Setting(
        "censusStoreCertificate",
        SettingForm("a file with a certificate in PEM form") { ClientCertificate.part(inFile: $0) },
        "PEM file: the certificate that it is shown, if it wants to see one"
    )
    let censusStoreKey = Setting(
        "censusStoreKey",
        SettingForm("a file with a key in PEM form") { ClientCertificate.part(inFile: $0) },
        "PEM file: the key of that certificate"
    )

    // MARK: Threads and times

    let threads = Setting(
        "threads",
        .number(1...256),
        absence: "one per core",
        "Event loops, each on a thread of its own"
    )
    let drainDelay = Setting(
        "drainDelay",
        .seconds,
        absence: "none",
        "Seconds after SIGTERM in which it goes on, and says at /-/ready that it goes"
    )
    let drainTimeout = Setting(
        "drainTimeout",
        .seconds,
        default: "30",
        "Seconds that requests may take then"
    )
    let headTimeout = Setting(
        "headTimeout",
        .seconds,
        default: Self.text(GateTimeouts.defaults.head),
        "Seconds for a request head"
    )
    let idleTimeout = Setting(
        "idleTimeout",
        .seconds,
        default: Self.text(GateTimeouts.defaults.idle),
        "Seconds between two requests on a connection"
    )
    let parkAfter = Setting(
        "parkAfter",
        .secondsOrOff,
        default: Self.gate.parkAfter.map { Self.text($0) } ?? "off",
        "Seconds of silence after which a plain connection is parked, or off"
    )
    let bodyTimeout = Setting(
        "bodyTimeout",
        .seconds,
        default: Self.text(GateTimeouts.defaults.body),
        "Seconds between two pieces of a request body"
    )
    let discardTimeout = Setting(
        "discardTimeout",
        .seconds,
        default: Self.text(DiscardLimits.defaults.time),
        "Seconds for which the body of a refused request is read after the answer"
    )
    let connectTimeout = Setting(
        "connectTimeout",
        .seconds,
        default: Self.text(GateTimeouts.defaults.connect),
        "Seconds for a connection to the backend"
    )
    let responseTimeout = Setting(
        "responseTimeout",
        .seconds,
        default: Self.text(GateTimeouts.defaults.response),
        "Seconds for the backend's answer, and between two pieces of it"
    )
    let tunnelTimeout = Setting(
        "tunnelTimeout",
        .seconds,
        default: Self.text(GateTimeouts.defaults.tunnel),
        "Seconds of silence on a WebSocket or other tunnel"
    )

    // MARK: Limits

    let maxHeadBytes = Setting(
        "maxHeadBytes",
        .number(256...1_048_576),
        default: "\(HeadLimits.defaults.bytes)",
        "Bytes of a request head"
    )
    let maxHeaderCount = Setting(
        "maxHeaderCount",
        .number(1...10_000),
        default: "\(HeadLimits.defaults.fields)",
        "Header fields of a request"
    )
    let maxTargetBytes = Setting(
        "maxTargetBytes",
        .number(16...1_048_576),
        default: "\(HeadLimits.defaults.target)",
        "Bytes of a request target"
    )
    let maxBodyBytes = Setting(
        "maxBodyBytes",
        .number(0 ... .max),
        absence: "any number",
        "Bytes of a request body"
    )
    let maxDiscardedBytes = Setting(
        "maxDiscardedBytes",
        .number(0 ... .max),
        default: "\(DiscardLimits.defaults.bytes)",
        "Bytes of a refused request's body that are read, so that the client sees the answer"
    )
    let maxConnections = Setting(
        "maxConnections",
        .number(1...10_000_000),
        default: "\(Self.gate.maxConnections)",
        "Client connections at the same time"
    )
    let maxConnectionsPerAddress = Setting(
        "maxConnectionsPerAddress",
        .number(1...10_000_000),
        absence: "any number",
        "Connections at the same time from one address or IPv6 /64"
    )
    let maxPendingRequests = Setting(
        "maxPendingRequests",
        .number(1...10_000_000),
        default: "\(Self.gate.maxPendingRequests)",
        "Requests at the same time that wait for the backend"
    )
    let maxEventStreams = Setting(
        "maxEventStreams",
        .number(0...10_000_000),
        default: "\(Self.gate.maxEventStreams)",
        "Clients at the same time that listen to events"
    )
    let socketBypass = Setting(
        "socketBypass",
        .boolean,
        default: "true",
        "Whether bytes take a shorter way to sockets without TLS"
    )

    // MARK: The log

    let accessLog = Setting(
        "accessLog",
        .boolean,
        default: "false",
        "Log one line for each request"
    )
    let accessLogFormat = Setting<AccessLogFormat>(
        "accessLogFormat",
        .word,
        absence: "combined, json with --log-format json",
        "common, combined or json"
    )
    let logFormat = Setting<LogFormat>("logFormat", .word, default: "text", "text or json")
    let logLevel = Setting<Logger.Level>(
        "logLevel",
        .word,
        default: "info",
        "The least that is logged: trace to critical"
    )

    static let table = Settings()

    /// What the data plane does if it is told nothing.
    private static let gate = GateSettings(
        listen: Endpoint(host: "127.0.0.1", port: 8080),
        upstream: UpstreamSettings(Endpoint(host: "127.0.0.1", port: 80))
    )

    private static func text(_ time: TimeAmount) -> String {
        let (seconds, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        precondition(rest == 0, "a default that is no whole number of seconds")
        return "\(seconds)"
    }
}
