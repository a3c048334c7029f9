/// The daily figures of an app and platform: for all clients, and for each part whose share is
/// forecast.
struct DailyFigures: Sendable {
    private struct Day {
        var total = CensusFigures()
        var parts: [CensusFigures]
    }

    private let partCount: Int
    private var days: [Int64: Day] = [:]

    init(parts: Int) {
        self.partCount = parts
    }

    /// Adds the figures of clients that belong to the given parts.
    mutating func add(_ figures: CensusFigures, to parts: [Int], on number: Int64) {
        var day =
            self.days.removeValue(forKey: number)
            ?? Day(parts: Array(repeating: CensusFigures(), count: self.partCount))
        day.total.add(figures)
        for part in parts { day.parts[part].add(figures) }
        self.days[number] = day
    }

    /// Returns the share of a part in each period of `length` days; a device counts once per
    /// period.
    func points(of part: Int, over length: Int64, byDevices: Bool) -> [AdoptionCurve.Point] {
        self.days.keys.sorted().compactMap { last in
            let days = (last - length + 1...last).compactMap { self.days[$0] }
            // A day without requests counts as a day on which the gate did not run.
            guard days.count == length else { return nil }
            var (sum, total) = (CensusFigures(), CensusFigures())
            for day in days {
                sum.add(day.parts[part])
                total.add(day.total)
            }
            let share = sum.share(of: total, byDevices: byDevices)
            return AdoptionCurve.Point(day: last, share: share)
        }
    }
}

extension CensusFigures {
    /// Whether devices can represent clients, because most requests contain a device ID.
    var countsDevices: Bool { self.identified * 2 >= self.requests }

    func clients(byDevices: Bool) -> Int {
        byDevices ? self.devices.count : Int(clamping: self.requests)
    }

    /// Returns the share of the clients in a total, from 0 to 1.
    func share(of total: CensusFigures, byDevices: Bool) -> Double {
        let all = max(total.clients(byDevices: byDevices), 1)
        return min(Double(self.clients(byDevices: byDevices)) / Double(all), 1)
    }
}
