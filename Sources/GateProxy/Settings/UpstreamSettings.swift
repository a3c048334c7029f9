package import NIOCore

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
