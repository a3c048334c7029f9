internal import GateCensus
package import GatePolicy
internal import GateSystem
private import Logging
private import Synchronization

/// Completes the record of each change with census counts from the hour after the change.
extension AuditLog {
    /// The length in seconds of the period in which clients are counted after a change.
    private static let span: Int64 = 3_600
    /// The minimum time in seconds between two checks while records are incomplete.
    private static let pause: Int64 = 60
    private static let minute: Int64 = 60
    /// The number of most recent records to check.
    private static let looked = 50

    /// Completes the records whose period has ended, on the records thread.
    ///
    /// The method must be called periodically.
    package func settle(at now: Timestamp) {
        guard self.history != nil, self.nextLook.withLock({ $0.map { $0 <= now } ?? false }) else {
            return
        }
        self.nextLook.withLock { $0 = now.advanced(by: Self.pause) }
        BackgroundThread.records.add {
            do throws(Failure) {
                let isDone = try self.look(at: now)
                if isDone { self.nextLook.withLock { $0 = nil } }
            } catch {
                self.logger.error(
                    "the census counts after a change to the rules were not recorded",
                    metadata: ["error": "\(error)"]
                )
            }
        }
    }

    /// Completes the records whose period has ended.
    ///
    /// - Returns: Whether no incomplete record remains.
    private func look(at now: Timestamp) throws(Failure) -> Bool {
        var isDone = true
        /// The time of the change that followed the change in the current iteration.
        var next: Timestamp?
        for record in try self.read(before: nil, atMost: Self.looked)
        where record.outcome == .applied {
            guard let time = try? Timestamp(parsing: record.at) else { continue }
            defer { next = time }
            guard record.predicted != nil, record.happened == nil else { continue }
            // The census counts whole minutes, and keeps the minutes of an hour for two hours after
            // the end of the hour.
            let start = (time.secondsSinceEpoch + Self.minute - 1) / Self.minute * Self.minute
            let last = min(start + Self.span, next?.secondsSinceEpoch ?? .max)
            let end = last / Self.minute * Self.minute
            let hour = start / Self.span * Self.span
            guard end > start, now.secondsSinceEpoch < hour + 3 * Self.span else {
                continue
            }
            guard now.secondsSinceEpoch >= end + Self.minute else {
                isDone = false
                continue
            }
            let range = (Timestamp(secondsSinceEpoch: start), Timestamp(secondsSinceEpoch: end))
            let rows = self.history?(range.0, range.1) ?? []
            var settled = record
            settled.happened = AuditRecord.Aftermath(rows, since: range.0, until: range.1)
            try self.replace(settled)
        }
        return isDone
    }

    private func replace(_ record: AuditRecord) throws(Failure) {
        try self.database.use { database in
            try database.run(
                "UPDATE records SET record = ? WHERE id = ?",
                [.text(record.json), .integer(record.id ?? 0)]
            )
        }
    }
}

extension AuditRecord.Aftermath {
    fileprivate init(_ rows: [CensusRow], since start: Timestamp, until end: Timestamp) {
        var (total, refused) = (CensusFigures(), CensusFigures())
        for row in rows {
            total.add(row.figures)
            if row.cell.outcome.kind >= .require { refused.add(row.figures) }
        }
        self.since = "\(start)"
        self.until = "\(end)"
        self.total = AuditRecord.Amount(total)
        self.refused = AuditRecord.Amount(refused)
    }
}

extension AuditRecord.Amount {
    fileprivate init(_ figures: CensusFigures) {
        self.requests = Double(figures.requests)
        self.devices = Double(figures.devices.count)
    }
}
