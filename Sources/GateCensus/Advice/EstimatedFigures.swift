package import GatePolicy

/// The calls from old versions to a path, as estimated from its shape.
package struct EstimatedFigures: Sendable {
    /// The number of requests, estimated from the share of the shape in the requests of each kind
    /// of client.
    package private(set) var requests = 0.0
    /// An upper bound on the devices: the devices of all kinds of clients that called the path.
    package private(set) var devices = HyperLogLog()
    package private(set) var versions: Set<String> = []
    /// The end of the last minute, hour or day with a request.
    package private(set) var lastSeen: Timestamp?

    /// The number of requests as an integer, at least one.
    package var count: Int { max(1, Int(self.requests.rounded())) }

    mutating func add(_ requests: Double, _ version: String, _ devices: HyperLogLog) {
        self.requests += requests
        self.devices.merge(devices)
        self.versions.insert(version)
    }

    mutating func add(_ other: EstimatedFigures) {
        self.requests += other.requests
        self.devices.merge(other.devices)
        self.versions.formUnion(other.versions)
        if let end = other.lastSeen { self.see(until: end) }
    }

    mutating func see(until end: Timestamp) { self.lastSeen = max(self.lastSeen ?? end, end) }
}

extension CensusFigures {
    /// The estimated number of requests by shape; the shape `nil` stands for requests without a stored shape.
    var requestsByShape: [(shape: PathShape?, requests: Double)] {
        let requests = Double(self.requests)
        let shares = self.shapes.shares(of: self.requests).filter { $0.share > 0 }
        let rest = shares.reduce(1) { $0 - $1.share } * requests
        return shares.map { ($0.shape, $0.share * requests) } + (rest >= 0.5 ? [(nil, rest)] : [])
    }
}
