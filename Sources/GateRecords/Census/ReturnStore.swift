package import GateCensus
package import GatePolicy
private import Glibc
private import Synchronization

/// Stores the sample of denied devices in a SQLite database next to the census.
package final class ReturnStore: Sendable {
    package typealias Failure = StateDatabase.Failure

    static let fileName = "returns.sqlite"
    private static let kind = StateDatabase.Kind(
        // The letters `VGre`.
        application: 0x5647_7265,
        version: 1,
        schema: """
            CREATE TABLE devices (
                device INTEGER NOT NULL, rule TEXT NOT NULL, version TEXT NOT NULL,
                build TEXT NOT NULL, refused INTEGER NOT NULL, returned INTEGER,
                PRIMARY KEY (device, rule));
            CREATE TABLE state (key INTEGER NOT NULL, highest INTEGER NOT NULL, purges INTEGER NOT NULL);
            INSERT INTO state VALUES (0, \(ReturnSample.allDevices), 0);
            """
    )

    private struct Memory {
        var sample: ReturnSample
        /// The number of purges of the file, as last read.
        var purges: Int64
    }

    private let database: StateDatabase
    private let memory: Mutex<Memory>

    /// Opens or creates the sample in a folder, or in memory if there is no folder.
    ///
    /// `keyDigest` identifies the key of the hashes; if the key has changed, the sample is emptied.
    package init(in folder: StateFolder?, keyDigest: UInt64) throws(Failure) {
        let database = try StateDatabase(in: folder, Self.fileName, Self.kind)
        let digest = Int64(bitPattern: keyDigest)
        let memory = try database.use { database in
            if try database.integer("SELECT key FROM state") != digest {
                try database.run("DELETE FROM devices")
                try database.run(
                    "UPDATE state SET key = ?, highest = ?",
                    [.integer(digest), .integer(ReturnSample.allDevices)]
                )
            }
            return try Self.read(database)
        }
        self.database = database
        self.memory = Mutex(memory)
    }

    /// Opens the sample in a folder, for a CLI command; returns `nil` if there is no sample.
    package init?(reading folder: String) throws(Failure) {
        let path = "\(folder)/\(Self.fileName)"
        guard unsafe access(path, F_OK) == 0 else { return nil }
        let database = try StateDatabase(path: path, Self.kind)
        self.database = database
        self.memory = Mutex(try database.use { try Self.read($0) })
    }

    private static func read(
        _ database: SQLiteDatabase
    ) throws(SQLiteDatabase.Failure) -> Memory {
        var devices: [Int64: [ReturnSample.Entry]] = [:]
        try database.run(
            "SELECT device, rule, version, build, refused, coalesce(returned, -1) FROM devices"
        ) { row in
            let returned = row.integer(5)
            devices[row.integer(0), default: []].append(
                ReturnSample.Entry(
                    rule: row.text(1),
                    version: row.text(2),
                    build: row.text(3),
                    refused: Timestamp(secondsSinceEpoch: row.integer(4)),
                    returned: returned < 0 ? nil : Timestamp(secondsSinceEpoch: returned)
                )
            )
        }
        let highest = try database.integer("SELECT highest FROM state")
        return Memory(
            sample: ReturnSample(highest: highest ?? ReturnSample.allDevices, devices),
            purges: try database.integer("SELECT purges FROM state") ?? 0
        )
    }

    /// Adds sightings from event loops; `write(at:)` stores them.
    package func add(_ harvests: [CensusHarvest], at now: Timestamp) {
        self.memory.withLock { memory in
            for harvest in harvests {
                memory.sample.narrow(to: harvest.highestDevice)
                let sightings = harvest.deviceSightings { memory.sample.knows($0) }
                memory.sample.add(sightings, at: now)
            }
        }
    }

    /// Writes changes, and deletes expired entries.
    func write(at now: Timestamp) throws(Failure) {
        try self.database.use { database in
            let purges = try database.integer("SELECT purges FROM state") ?? 0
            let (changes, highest) = self.memory.withLock { memory in
                if purges != memory.purges {
                    memory = Memory(sample: ReturnSample(), purges: purges)
                }
                memory.sample.forget(before: now)
                return (memory.sample.takeChanges(), memory.sample.highest)
            }
            guard !changes.isEmpty else { return }
            try database.transaction { () throws(SQLiteDatabase.Failure) in
                try database.run("UPDATE state SET highest = ?", [.integer(highest)])
                try database.run("DELETE FROM devices WHERE device > ?", [.integer(highest)])
                for (device, entries) in changes {
                    try Self.replace(entries, of: device, in: database)
                }
            }
        }
    }

    private static func replace(
        _ entries: [ReturnSample.Entry],
        of device: Int64,
        in database: SQLiteDatabase
    ) throws(SQLiteDatabase.Failure) {
        try database.run("DELETE FROM devices WHERE device = ?", [.integer(device)])
        for entry in entries {
            try database.run(
                "INSERT INTO devices VALUES (?, ?, ?, ?, ?, nullif(?, -1))",
                [
                    .integer(device), .text(entry.rule), .text(entry.version), .text(entry.build),
                    .integer(entry.refused.secondsSinceEpoch),
                    .integer(entry.returned?.secondsSinceEpoch ?? -1),
                ]
            )
        }
    }

    /// The share of devices that returned with a newer build, for each rule that denied them in the
    /// last 30 days.
    package var shares: [String: ReturnSample.Share] { self.memory.withLock { $0.sample.shares } }

    /// Deletes all devices, and overwrites them in the file; a running gate clears its copy in
    /// memory at the next write.
    package func purge() throws(Failure) {
        try self.database.use { database in
            try database.execute(
                "PRAGMA secure_delete = ON; DELETE FROM devices; "
                    + "UPDATE state SET purges = purges + 1, highest = \(ReturnSample.allDevices); "
                    + "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)"
            )
        }
        self.memory.withLock { memory in
            memory = Memory(sample: ReturnSample(), purges: memory.purges + 1)
        }
    }
}
