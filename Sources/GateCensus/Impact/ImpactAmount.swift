/// Requests and devices of which some part is meant.
package struct ImpactAmount: Sendable {
    /// Requests; of a roll-out, as many as are to be expected.
    package private(set) var requests = 0.0
    private(set) var identified = 0.0
    /// The sketches of devices, by the share of them that is meant.
    private var devicesByShare: [Double: HyperLogLog] = [:]

    package init() {}

    /// Adds a share of what was counted.
    mutating func add(_ figures: CensusFigures, share: Double = 1) {
        guard share > 0 else { return }
        // Shares that differ by the rounding of a sum are one.
        let share = min((share * 1e6).rounded() / 1e6, 1)
        self.requests += Double(figures.requests) * share
        self.identified += Double(figures.identified) * share
        self.devicesByShare[share, default: HyperLogLog()].merge(figures.devices)
    }

    /// Devices, as far as requests named them.
    ///
    /// One that has changed its version, and that a roll-out takes with several, counts for each.
    package var devices: Double {
        self.devicesByShare.reduce(0) { $0 + $1.key * Double($1.value.count) }
    }

    /// Whether devices can stand for clients: most requests named theirs.
    package var countsByDevices: Bool { self.identified * 2 >= self.requests && self.requests > 0 }
}
