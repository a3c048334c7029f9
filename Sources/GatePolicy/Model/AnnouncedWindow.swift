/// A time that clients are told of before it comes.
protocol AnnouncedWindow {
    /// The first second of it.
    var from: Timestamp { get }
    /// The first second after it.
    var until: Timestamp { get }
}

extension AnnouncedWindow {
    /// The one of two windows that a client has to know of: the one that begins first; of two that
    /// begin together, the one that ends last.
    static func next(_ known: Self?, _ other: Self) -> Self {
        guard let known else { return other }
        guard known.from == other.from else { return known.from < other.from ? known : other }
        return known.until >= other.until ? known : other
    }
}

/// A time in which nobody that a rule matches is served.
package struct MaintenanceWindow: AnnouncedWindow, Sendable, Equatable {
    /// The first second of the maintenance.
    package var from: Timestamp
    /// The first second after it.
    package var until: Timestamp
    /// From then on, answers carry a hint that it is coming; `nil` for no announcement.
    package var announceFrom: Timestamp?

    package init(from: Timestamp, until: Timestamp, announceFrom: Timestamp? = nil) {
        self.from = from
        self.until = until
        self.announceFrom = announceFrom
    }
}

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
