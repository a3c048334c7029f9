internal import GatePolicy

/// The period of a report.
struct ReportPeriod: Sendable, CustomStringConvertible {
    let since: Timestamp
    /// The end, exclusive.
    let until: Timestamp

    var description: String { "\(self.since) to \(self.until)" }
}

extension ReportPeriod: Encodable {
    private enum Key: String, CodingKey {
        case since, until
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("\(self.since)", forKey: .since)
        try container.encode("\(self.until)", forKey: .until)
    }
}
