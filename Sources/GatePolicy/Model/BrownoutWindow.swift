/// A time in which a floor that is only announced is enforced once, so that nobody overlooks the
/// announcement.
package struct BrownoutWindow: AnnouncedWindow, Sendable, Hashable {
    /// The first second of the brownout.
    package var from: Timestamp
    /// The first second after it.
    package var until: Timestamp

    package init(from: Timestamp, until: Timestamp) {
        self.from = from
        self.until = until
    }
}

extension RuleSchedule {
    /// The windows that are not over, the running one or else the next one first.
    func brownouts(notOverAt now: Timestamp) -> ArraySlice<BrownoutWindow> {
        // There can be a thousand, and every decision asks.
        var range = self.brownouts.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if self.brownouts[middle].until <= now {
                range = middle + 1..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return self.brownouts[range.lowerBound...]
    }
}
