internal import GateCensus
internal import GatePolicy
private import Synchronization

/// Queries for devices by day.
extension CensusStore {
    /// The number of seconds for which the device counts of an incomplete day are cached, unless
    /// there are no devices.
    private static let freshness: Int64 = 30
    /// The number of seconds after the end of a day during which counts may still be added.
    private static let delay: Int64 = 3_600

    /// Returns the device counts for each day (UTC) in a period.
    func adoption(
        since start: Timestamp,
        until end: Timestamp
    ) throws(Failure) -> [AdoptionDay] {
        let now = end.secondsSinceEpoch
        let first = max(start, end.advanced(by: -Self.daysKept)).day
        return try self.database.use { database in
            try self.memory.withLock { memory throws(SQLiteDatabase.Failure) in
                try memory.look(at: database, changes: nil)
                return try (first...max(first, end.day)).map {
                    day throws(SQLiteDatabase.Failure) in
                    if let known = memory.day(day, at: now) { return known }
                    let read = try Self.day(day, memory.cells, in: database)
                    let isComplete = now >= (day + 1) * Span.day.rawValue + Self.delay
                    if isComplete {
                        memory.keep(read, until: .max)
                    } else if !read.devices.isEmpty {
                        memory.keep(read, until: now + Self.freshness)
                    }
                    return read
                }
            }
        }
    }

    private static func day(
        _ day: Int64,
        _ cells: [Int64: CensusCell],
        in database: SQLiteDatabase
    ) throws(SQLiteDatabase.Failure) -> AdoptionDay {
        let start = day * Span.day.rawValue
        var sketches: [CensusClient: HyperLogLog] = [:]
        try database.run(
            "SELECT cell, devices FROM figures WHERE \(Self.inRange)",
            (start..<start + Span.day.rawValue).ends
        ) { row in
            guard let client = cells[row.integer(0)]?.client,
                let devices = HyperLogLog(redis: row.bytes(1))
            else { return }
            sketches[client, default: HyperLogLog()].merge(devices)
        }
        return AdoptionDay(day, sketches.lazy.map { ($0.key, $0.value) })
    }
}
