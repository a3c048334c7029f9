internal import GatePolicy

/// The period that a report covers.
struct ReportPeriod: Sendable, Encodable, CustomStringConvertible {
    let since: Timestamp
    /// The end of the period, exclusive.
    let until: Timestamp

    var description: String { "\(self.since) to \(self.until)" }
}
