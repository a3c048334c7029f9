internal import GateCensus
package import GatePolicy
internal import GateSystem
private import Logging
private import Synchronization

/// The hour after a change is added to its record, from the census, once it is over.
extension AuditLog {
    /// Seconds after a change that are looked at.
    private static let span: Int64 = 3_600
    /// Seconds between two looks while there is something to add.
    private static let pause: Int64 = 60
    private static let minute: Int64 = 60
    /// Records that are looked at, the last ones.
    private static let looked = 50

    /// Adds what happened to the records that are old enough, on the thread of records; to be called
    /// now and then.
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
                    "what happened after a change is not recorded",
                    metadata: ["error": "\(error)"]
                )
            }
        }
    }

    /// - Returns: Whether no record waits any more.
    private func look(at now: Timestamp) throws(Failure) -> Bool {
        var isDone = true
        /// The change that came after the one that is looked at.
        var next: Timestamp?
        for record in try self.read(before: nil, atMost: Self.looked)
        where record.outcome == .applied {
            guard let time = try? Timestamp(parsing: record.at) else { continue }
            defer { next = time }
            guard record.predicted != nil, record.happened == nil else { continue }
            // The census has whole minutes, and puts them together an hour after theirs is over.
            let start = (time.secondsSinceEpoch + Self.minute - 1) / Self.minute * Self.minute
            let last = min(start + Self.span, next?.secondsSinceEpoch ?? .max)
            let end = last / Self.minute * Self.minute
            let hour = start / Self.span * Self.span
            guard end > start, now.secondsSinceEpoch < hour + 2 * Self.span + Self.minute else {
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
        try self.use { database in
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
