/// The number of requests and devices in cells, or in a share of each cell.
package struct ImpactAmount: Sendable {
    /// The number of requests; in a rollout, the expected number.
    package private(set) var requests = 0.0
    private(set) var identified = 0.0
    /// The device sketches, keyed by the share of devices to count.
    private var devicesByShare: [Double: HyperLogLog] = [:]

    /// Adds the given share of a cell's figures.
    mutating func add(_ figures: CensusFigures, share: Double = 1) {
        guard share > 0 else { return }
        self.requests += Double(figures.requests) * min(share, 1)
        self.identified += Double(figures.identified) * min(share, 1)
        // Each share needs a sketch, so shares are rounded to about a thousand values.
        let steps = share < 0.01 ? 1e4 : 1e3
        let step = min(max((share * steps).rounded(), 1) / steps, 1)
        self.devicesByShare[step, default: HyperLogLog()].merge(figures.devices)
    }

    /// The number of devices, if requests contain device IDs.
    ///
    /// A device in cells with different shares, for example with two versions of which a rollout
    /// includes one, is counted with each of these shares.
    package var devices: Double {
        self.devicesByShare.reduce(0) { $0 + $1.key * Double($1.value.count) }
    }

    /// Whether devices can represent clients, because most requests contain a device ID.
    package var countsByDevices: Bool { self.identified * 2 >= self.requests && self.requests > 0 }
}
