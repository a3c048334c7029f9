import ArgumentParser

/// The gate itself: its options.
///
/// Each has the name of its `Setting`. They stand in one list, not in groups within groups: a debug build looks
/// for mistakes in a group again for each check of the one around it, which took a tenth of a second at each start.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the gate.",
        discussion: """
            Every option can also be given in the environment (--drain-timeout is \
            VERSIONGATE_DRAIN_TIMEOUT) and in a YAML or JSON file (drainTimeout). The flag wins over \
            the environment, the environment over the file.

            Started by systemd, it takes over the sockets of a socket unit (LISTEN_FDS) in place of \
            --listen, one that is called admin in place of --admin-listen, and tells when it is \
            ready, reloads, stops, and is alive (NOTIFY_SOCKET).

            SIGHUP reads the rules and the certificates again; so does a change of their files. \
            SIGTERM and SIGINT let requests come to their end and exit with 0.
            """
    )

    @Option(help: "YAML or JSON file with settings.")
    var config: String?
    @Option(help: "Where clients connect, HOST:PORT (default 127.0.0.1:8080).")
    var listen: String?
    @Option(help: "A second address, for TLS alone; without it --listen speaks TLS.")
    var tlsListen: String?
    @Option(help: "Certificates (PEM), by comma; SNI chooses, the first is the default.")
    var tlsCertificate: String?
    @Option(help: "Their keys in the same order, by comma.")
    var tlsKey: String?
    @Option(help: "Authorities (PEM) that must have signed a client's certificate.")
    var tlsClientCa: String?
    @Option(
        help: "Where operators look and reload, and webhooks come: [HOST:]PORT (default: nowhere)."
    )
    var adminListen: String?
    @Option(help: "File with the tokens that operators on other machines send, one a line.")
    var adminTokenFile: String?
    @Option(help: "File with the secret that previews for testers are signed by (default: none).")
    var previewSecretFile: String?
    @Option(help: "Whether requests are timed for /metrics of the admin listener (default true).")
    var latencyMetrics: String?
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
    @Flag(help: "Let another gate listen on the same address, to take over (SO_REUSEPORT).")
    var reusePort = false
    @Option(
        help: "on: each connection from --trusted-proxies begins with a PROXY header (default off)."
    )
    var proxyProtocol: String?
    @Option(
        help:
            "The backend: http(s) or h2c://HOST[:PORT], or unix:/PATH; several, by comma, in turn."
    )
    var upstream: String?
    @Option(
        help: "http1 or http2: to the backend in no other; auto: https backends choose (default)."
    )
    var upstreamProtocol: String?
    @Option(help: "Seconds until an HTTP/2 backend that is silent is sent a PING (default 300).")
    var upstreamPing: String?
    @Option(help: "Seconds between two look-ups of the backend's name (default 30).")
    var dnsRefresh: String?
    @Option(
        help: "PEM file: who may vouch for an https backend (default: whom the system trusts)."
    )
    var upstreamCa: String?
    @Option(help: "Name in the certificate of an https backend (default: its host).")
    var upstreamServerName: String?
    @Option(help: "The rules: a YAML or JSON file, or a folder of them.")
    var rules: String?
    @Option(help: "Folder for the last good rules and for what feeds said, for a restart.")
    var stateDir: String?
    @Flag(help: "Never start by the last good rules: a file that is broken or refused exits 1.")
    var strictStart = false
    @Option(
        help: "PEM file: who may vouch for a feed, besides those whom the system trusts."
    )
    var feedCa: String?
    @Option(help: "Event loops, each on a thread of its own (default: one per core).")
    var threads: String?
    @Option(
        help: "Seconds after SIGTERM in which it goes on, and says at /-/ready that it goes (none)."
    )
    var drainDelay: String?
    @Option(help: "Seconds that requests may take then (default 30).")
    var drainTimeout: String?
    @Option(help: "Seconds for a request head (default 10).")
    var headTimeout: String?
    @Option(help: "Seconds between two requests on a connection (default 75).")
    var idleTimeout: String?
    @Option(
        help: "Seconds of silence after which a plain connection is parked (default 2), or off."
    )
    var parkAfter: String?
    @Option(help: "Seconds between two pieces of a request body (default 30).")
    var bodyTimeout: String?
    @Option(help: "Seconds for a connection to the backend (default 5).")
    var connectTimeout: String?
    @Option(help: "Seconds for the backend's answer, and between two pieces of it (default 60).")
    var responseTimeout: String?
    @Option(help: "Seconds of silence on a WebSocket or other tunnel (default 3600).")
    var tunnelTimeout: String?
    @Option(help: "Bytes of a request head (default 32768).")
    var maxHeadBytes: String?
    @Option(help: "Header fields of a request (default 100).")
    var maxHeaderCount: String?
    @Option(help: "Bytes of a request target (default 8192).")
    var maxTargetBytes: String?
    @Option(help: "Bytes of a request body (default: any number).")
    var maxBodyBytes: String?
    @Option(help: "Client connections at the same time (default 100000).")
    var maxConnections: String?
    @Option(help: "Connections at the same time from one address or IPv6 /64 (default: any).")
    var maxConnectionsPerAddress: String?
    @Option(help: "Requests at the same time that wait for the backend (default 10000).")
    var maxPendingRequests: String?
    @Option(help: "Clients at the same time that listen to events (default 50000).")
    var maxEventStreams: String?
    @Option(help: "Whether bytes take a shorter way to sockets without TLS (default true).")
    var socketBypass: String?
    @Option(help: "Whether clients can ask the gate under /.versiongate/ (default true).")
    var clientEndpoints: String?
    @Option(help: "Proxies whose X-Forwarded-* are believed: addresses and CIDR ranges, by comma.")
    var trustedProxies: String?
    @Flag(help: "Log one line for each request.")
    var accessLog = false
    @Option(help: "common, combined or json (default: combined, json with --log-format json).")
    var accessLogFormat: String?
    @Option(help: "text or json (default text).")
    var logFormat: String?
    @Option(help: "trace, debug, info, notice, warning or error (default info).")
    var logLevel: String?
}
