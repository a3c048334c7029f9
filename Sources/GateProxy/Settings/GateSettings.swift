package import GateCensus
package import GatePolicy
package import GateWire
package import NIOCore

/// Everything about the data plane that is fixed while it runs.
package struct GateSettings: Sendable {
    /// The endpoint that clients connect to.
    package var listen: Endpoint
    /// Whether other processes may listen on the same address at the same time (`SO_REUSEPORT`).
    package var reusesPort: Bool
    /// How long it goes on as before when it is told to stop, and says that it is not ready: until
    /// whoever sends clients has noticed, and sends them to other gates.
    package var drainDelay: TimeAmount
    /// The files by which `listen` or, if it is there, `tlsListen` encrypts; `nil`: neither does.
    package var tls: TLSFiles?
    /// A second address, for TLS alone; `listen` then is plain.
    package var tlsListen: Endpoint?
    /// The backends that allowed requests go to.
    package var upstream: UpstreamSettings
    /// Event loops, each on a thread of its own.
    package var threads: Int
    package var headLimits: HeadLimits
    package var discardLimits: DiscardLimits
    package var timeouts: GateTimeouts
    /// How long a connection without TLS must have been silent after a request to be parked: to go
    /// on without the memory of a channel until the next; `nil`: none is.
    package var parkAfter: TimeAmount?
    /// Bytes of a request body, more is 413; `nil` lets any number pass.
    package var maxBodyBytes: UInt64?
    /// Client connections at the same time over all threads; one more is answered 503.
    package var maxConnections: Int
    /// Client connections at the same time from one address, or from one /64 of IPv6; `nil` lets any
    /// number be.
    package var maxConnectionsPerAddress: Int?
    /// Requests at the same time over all threads that wait for the first byte of their answer; one
    /// more is answered 503.
    package var maxPendingRequests: Int
    /// Whether trusted proxies begin each connection with a header of the PROXY protocol.
    package var readsProxyHeaders: Bool
    /// The proxies whose `X-Forwarded-*` and PROXY protocol headers are believed.
    package var trustedProxies: TrustedProxies
    /// How one line is logged for each request; `nil`: none is.
    package var accessLog: AccessLogFormat?
    /// Whether clients can ask the gate itself, under `/.versiongate/`.
    package var servesClients: Bool
    /// Clients at the same time over all threads that listen to events.
    package var maxEventStreams: Int
    /// Whether the time that requests take is measured, which needs looks at the clock.
    package var measuresLatency: Bool
    /// The settings of the count of clients on each thread; `nil`: they are not counted.
    package var census: CensusTally.Settings?
    /// Reads the field by which testers ask for a decision at a second; `nil`: nobody may ask.
    package var previews: (@Sendable (String, Timestamp) -> PreviewReading)?
    /// Whether what the kernel takes at once goes past NIO's channels, straight to the socket, where no TLS stands
    /// between: less work for each request, by what NIO calls unsupported.
    package var bypassesChannels: Bool
    /// Verdicts that each thread remembers.
    package var verdictCacheCapacity: Int

    /// One thread, safe limits, no access log.
    package init(listen: Endpoint, upstream: UpstreamSettings) {
        self.listen = listen
        self.tls = nil
        self.tlsListen = nil
        self.upstream = upstream
        self.reusesPort = false
        self.drainDelay = .zero
        self.threads = 1
        self.headLimits = .defaults
        self.discardLimits = .defaults
        self.timeouts = .defaults
        self.parkAfter = .seconds(2)
        self.maxBodyBytes = nil
        self.maxConnections = 100_000
        self.maxConnectionsPerAddress = nil
        self.maxPendingRequests = 10_000
        self.readsProxyHeaders = false
        self.trustedProxies = .none
        self.accessLog = nil
        self.servesClients = true
        self.maxEventStreams = 50_000
        self.measuresLatency = false
        self.census = nil
        self.previews = nil
        self.bypassesChannels = true
        self.verdictCacheCapacity = 8192
    }

    /// Whether bytes go past the channel of a connection; `isSecure`: of one with TLS.
    func bypassesChannel(isSecure: Bool) -> Bool {
        self.bypassesChannels && !isSecure
    }
}

/// Everything about the way to the backend that is fixed while the gate runs.
package struct UpstreamSettings: Sendable {
    /// The backends that serve alike, at least one.
    package var targets: [UpstreamTarget]
    /// Between two look-ups of the names among them.
    package var refresh: TimeAmount

    /// How targets prove who they are; without it those of `https` cannot be reached.
    package var tls: UpstreamTLS?

    /// Names are looked up every 30 s.
    package init(targets: [UpstreamTarget]) {
        self.targets = targets
        self.refresh = .seconds(30)
    }

    /// One backend over plain HTTP.
    package init(_ endpoint: Endpoint) {
        self.init(targets: [UpstreamTarget(.endpoint(endpoint))])
    }

    /// The `Host` value of requests that have none.
    var authority: String { self.targets.first?.authority ?? "localhost" }
}

/// How the lines of the access log look.
package enum AccessLogFormat: String, Sendable, CaseIterable {
    /// The Common Log Format, and the gate's own fields behind it.
    case common
    /// The same with `Referer` and `User-Agent`.
    case combined
    /// One JSON object for each line (RFC 8259).
    case json
}
