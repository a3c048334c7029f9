/// A time that clients are told of before it comes.
protocol AnnouncedWindow {
    /// Whether a client has to know of this window rather than of another: of the one that begins
    /// first; of two that begin together, of the one that ends last.
    func precedes(_ other: Self) -> Bool
}

extension AnnouncedWindow {
    /// The one of two windows that a client has to know of.
    static func next(_ known: Self?, _ other: Self) -> Self {
        guard let known else { return other }
        return other.precedes(known) ? other : known
    }
}

/// A time in which no request that a rule matches is served.
package struct MaintenanceWindow: AnnouncedWindow, Sendable, Equatable {
    /// Maintenance that is in force until the rule changes (`maintenance: true`).
    package static let open = MaintenanceWindow(from: nil, until: nil)

    /// The first second of the maintenance; `nil` if it has begun already.
    package var from: Timestamp?
    /// The first second after it; `nil` if it does not end by itself.
    package var until: Timestamp?
    /// From then on, answers carry a hint that it is coming; `nil` for no announcement.
    package var announceFrom: Timestamp?

    package init(from: Timestamp?, until: Timestamp?, announceFrom: Timestamp? = nil) {
        self.from = from
        self.until = until
        self.announceFrom = announceFrom
    }

    func precedes(_ other: MaintenanceWindow) -> Bool {
        guard self.from == other.from else {
            guard let from, let start = other.from else { return self.from == nil }
            return from < start
        }
        return self.outlasts(other)
    }

    /// Whether it ends after another one.
    func outlasts(_ other: MaintenanceWindow) -> Bool {
        guard let end = other.until else { return false }
        return self.until.map { $0 > end } ?? true
    }

    /// Whether it is over.
    package func isOver(at now: Timestamp) -> Bool {
        self.until.map { $0 <= now } ?? false
    }

    /// How many seconds it lasts; `nil` if it does not end by itself.
    package var duration: Int64? {
        guard let from, let until else { return nil }
        return from.seconds(until: until)
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

    func precedes(_ other: BrownoutWindow) -> Bool {
        guard self.from == other.from else { return self.from < other.from }
        return self.until > other.until
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
