/// A time in which nobody that a rule matches is served.
package struct MaintenanceWindow: Sendable, Equatable {
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

extension MaintenanceWindow {
    /// The one of two windows that a client has to know of: the one that begins first; of two that
    /// begin together, the one that ends last.
    static func next(_ known: MaintenanceWindow?, _ other: MaintenanceWindow) -> MaintenanceWindow {
        guard let known else { return other }
        guard known.from == other.from else { return known.from < other.from ? known : other }
        return known.until >= other.until ? known : other
    }
}
