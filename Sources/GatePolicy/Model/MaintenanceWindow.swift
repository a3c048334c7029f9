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
