package import GateCensus
package import GatePolicy
package import GateWire
package import NIOCore

/// The settings of the data plane, which do not change at runtime.
package struct GateSettings: Sendable {
    /// The endpoint that clients connect to, or `nil` if the gate serves only gateways.
    package var listen: Endpoint?
    /// The endpoint for authorization requests from gateways, or `nil` if there is none.
    package var decideListen: Endpoint?
    /// Whether other processes may listen on the same address at the same time (`SO_REUSEPORT`).
    package var reusesPort = false
    /// How long the gate still serves requests after shutdown has been requested, while it
    /// reports that it is not ready.
    ///
    /// Load balancers need this time to notice the change and to send clients to other gates.
    package var drainDelay = TimeAmount.zero
    /// The TLS files for `tlsListen` or, if that is `nil`, for `listen`; `nil` disables TLS.
    package var tls: TLSFiles?
    /// A second endpoint for clients, for TLS connections only; `listen` is then unencrypted.
    package var tlsListen: Endpoint?
    /// The backends for allowed requests; none if the gate serves only gateways.
    package var upstream: UpstreamSettings
    /// The number of event loops, each on its own thread.
    package var threads = 1
    package var headLimits = HeadLimits.defaults
    package var discardLimits = DiscardLimits.defaults
    package var timeouts = GateTimeouts.defaults
    /// How long a connection without TLS must be idle after a request before it is parked.
    ///
    /// A parked connection has no channel until the next request, which saves memory. `nil` disables parking.
    package var parkAfter: TimeAmount? = .seconds(2)
    /// The maximum size of a request body in bytes, or `nil` for no limit; larger bodies get 413.
    package var maxBodyBytes: UInt64?
    /// The maximum number of client connections across all threads; further connections get 503.
    package var maxConnections = 100_000
    /// The maximum number of client connections from one address, or from one IPv6 /64 network;
    /// `nil` for no limit.
    package var maxConnectionsPerAddress: Int?
    /// The maximum number of requests that wait for the first byte of the response, across all
    /// threads; further requests get 503.
    package var maxPendingRequests = 10_000
    /// Whether trusted proxies start each connection with a PROXY protocol header.
    package var readsProxyHeaders = false
    /// The proxies whose `X-Forwarded-*` and PROXY protocol headers are trusted.
    package var trustedProxies = TrustedProxies.none
    /// The format of the access log; `nil` disables the log.
    package var accessLog: AccessLogFormat?
    /// Whether the gate serves its own client endpoints under `/.versiongate/`.
    package var servesClients = true
    /// The maximum number of open event streams, across all threads.
    package var maxEventStreams = 50_000
    /// Whether to measure the latency of requests, which requires reading the clock.
    package var measuresLatency = false
    /// The census settings for each thread; `nil` disables the census.
    package var census: CensusTally.Settings?
    /// Parses the header field with which testers request a preview, given the current time in seconds.
    ///
    /// If the function is `nil`, previews are disabled.
    package var previews: (@Sendable (String, Timestamp) -> PreviewReading)?
    /// The functions for passes; `nil` disables passes.
    package var passes: PassSettings?
    /// Whether to bypass NIO's channel and write directly to the socket on connections without TLS.
    ///
    /// This saves work per request, but uses an unsupported NIO API. The channel writes the bytes
    /// that the kernel does not accept immediately.
    package var bypassesChannels = true
    /// The maximum number of cached verdicts per thread.
    package var verdictCacheCapacity = 8192

    /// Creates settings with one thread, safe limits and no access log.
    package init(listen: Endpoint?, upstream: UpstreamSettings) {
        self.listen = listen
        self.upstream = upstream
    }

    /// Returns whether to bypass the channel of a connection; `isSecure` indicates whether the
    /// connection uses TLS.
    func bypassesChannel(isSecure: Bool) -> Bool {
        self.bypassesChannels && !isSecure
    }
}

/// The settings for backends, which do not change at runtime.
package struct UpstreamSettings: Sendable {
    /// The default backends, which are interchangeable.
    package var targets: [UpstreamTarget]
    /// The backends that rules can select.
    package var named: [NamedUpstream] = []
    /// The interval between DNS lookups of the backends' host names.
    package var refresh = TimeAmount.seconds(30)

    /// The certificate verification for `https` targets.
    ///
    /// If this is `nil`, such targets cannot be reached. The server name applies only to the
    /// default backends.
    package var tls: UpstreamTLS?

    /// Creates settings with a lookup interval of 30 s.
    package init(targets: [UpstreamTarget]) {
        self.targets = targets
    }

    /// Creates settings for one backend over plain HTTP.
    package init(_ endpoint: Endpoint) {
        self.init(targets: [UpstreamTarget(.endpoint(endpoint))])
    }

    /// The `Host` value for requests that lack the field.
    var authority: String { self.targets.first?.authority ?? "localhost" }

    /// The names of the backends that rules can select.
    ///
    /// `nil` if the gate serves only gateways, whose backends are unknown to it.
    package var selectable: [String]? {
        self.targets.isEmpty ? nil : self.named.map(\.name)
    }

    /// The targets of all backends, without duplicates.
    package var allTargets: [UpstreamTarget] {
        (self.targets + self.named.flatMap(\.targets)).uniqued()
    }
}

/// A backend that rules can select.
package struct NamedUpstream: Sendable, Equatable {
    package let name: String
    /// The targets, which are interchangeable.
    package var targets: [UpstreamTarget]

    package init(name: String, targets: [UpstreamTarget]) {
        self.name = name
        self.targets = targets
    }

    /// The `Host` value for requests that lack the field.
    var authority: String { self.targets.first?.authority ?? "localhost" }
}

/// The format of the access log.
package enum AccessLogFormat: String, Sendable, CaseIterable {
    /// The Common Log Format, followed by VersionGate's own fields.
    case common
    /// The same as `common`, with `Referer` and `User-Agent`.
    case combined
    /// One JSON object per line (RFC 8259).
    case json
    /// The same as `json`, with the attribute names of OpenTelemetry's semantic conventions.
    case otel

    var isJSON: Bool { self == .json || self == .otel }
}

/// The functions that verify passes and record the use of single-use passes.
package struct PassSettings: Sendable {
    /// Verifies the value of a pass field for a client, given the current time in seconds.
    let read: @Sendable (String, ClientIdentity, Timestamp) -> Pass.Reading
    /// Records the use of a single-use pass, and returns `false` if the pass can no longer be used.
    let use: @Sendable (Pass) -> Bool
    /// Returns whether a single-use pass can still be used.
    let isUsable: @Sendable (Pass) -> Bool

    package init(
        read: @escaping @Sendable (String, ClientIdentity, Timestamp) -> Pass.Reading,
        use: @escaping @Sendable (Pass) -> Bool,
        isUsable: @escaping @Sendable (Pass) -> Bool
    ) {
        self.read = read
        self.use = use
        self.isUsable = isUsable
    }
}
