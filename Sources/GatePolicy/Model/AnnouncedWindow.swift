/// A time window that is announced to clients in advance.
protocol AnnouncedWindow {
    /// Whether this window is announced in preference to another window.
    ///
    /// The window that starts first is announced. Of two windows that start at the same time, the
    /// one that ends last is announced.
    func precedes(_ other: Self) -> Bool
}

extension AnnouncedWindow {
    /// Returns the one of the two windows that is announced; `known` may be `nil`.
    static func next(_ known: Self?, _ other: Self) -> Self {
        guard let known else { return other }
        return other.precedes(known) ? other : known
    }
}

/// A time window in which all requests that a rule matches are denied.
package struct MaintenanceWindow: AnnouncedWindow, Sendable, Equatable {
    /// A maintenance window that lasts until the rule changes (`maintenance: true`).
    package static let open = MaintenanceWindow(from: nil, until: nil)

    /// The first second of the window; `nil` if it has already started.
    package var from: Timestamp?
    /// The first second after the window; `nil` if its end is open.
    package var until: Timestamp?
    /// The time from which responses contain a hint about the window; `nil` if it is not announced.
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

    /// Whether the window ends after another window.
    func outlasts(_ other: MaintenanceWindow) -> Bool {
        guard let end = other.until else { return false }
        return self.until.map { $0 > end } ?? true
    }

    /// Whether the window has ended.
    package func isOver(at now: Timestamp) -> Bool {
        self.until.map { $0 <= now } ?? false
    }

    /// The duration in seconds; `nil` if the start or the end is open.
    package var duration: Int64? {
        guard let from, let until else { return nil }
        return from.seconds(until: until)
    }
}

/// A time window in which an announced floor is temporarily enforced, so that the announcement is
/// noticed.
package struct BrownoutWindow: AnnouncedWindow, Sendable, Hashable {
    /// The first second of the brownout.
    package var from: Timestamp
    /// The first second after the brownout.
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
