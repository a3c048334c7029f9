package import GateCensus
package import GatePolicy
package import Logging

/// Collects what the event loops count, and keeps it.
package actor Census {
    /// The census' state, for metrics.
    package struct Status: Sendable, Equatable {
        /// Requests since the start that were counted without their client, because there were too many.
        package var overflow: UInt64 = 0
        /// Sightings of devices that there was no room for.
        package var lostSightings: UInt64 = 0
        /// Whether it outlives the process.
        package var isKept: Bool
        /// Times at which it could not be written, since the start.
        package var failures: UInt64 = 0
        package var bytes: Int64 = 0

        package init(isKept: Bool) {
            self.isKept = isKept
        }
    }

    private static let rollUpInterval: Int64 = 600

    package nonisolated let store: CensusStore
    package private(set) var status: Status
    /// The last requests that were refused, as far as there is room for them.
    package private(set) var denials = RecentDenials()
    private let logger: Logger
    private var bucket: CensusBucket
    /// The minute whose cells are counted, since 1970.
    private var minute: Int64?
    private var lastRollUp: Timestamp?
    private var isFailing = false

    /// A census that has counted nothing yet.
    ///
    /// - Parameters:
    ///   - store: Keeps it.
    ///   - isKept: Whether the store outlives the process.
    ///   - limit: The most cells of clients in a minute.
    ///   - logger: Told when it cannot be written, and when it can again.
    package init(store: CensusStore, isKept: Bool, limit: Int, logger: Logger) {
        self.store = store
        self.status = Status(isKept: isKept)
        self.logger = logger
        self.bucket = CensusBucket(limit: limit)
    }

    /// Adds what event loops have counted.
    ///
    /// - Parameters:
    ///   - harvests: What was counted.
    ///   - now: The second.
    ///   - writes: Whether it is written at once, and not with what comes next.
    /// - Returns: The cells of each event loop.
    @discardableResult
    package func add(
        _ harvests: [CensusHarvest],
        at now: Timestamp,
        writes: Bool = true
    ) async -> [[CensusCell: CensusFigures]] {
        let minute = now.secondsSinceEpoch / CensusStore.Span.minute.rawValue
        if let last = self.minute, minute != last {
            let end = (last + 1) * CensusStore.Span.minute.rawValue - 1
            if !self.bucket.isEmpty { await self.write(at: Timestamp(secondsSinceEpoch: end)) }
            self.bucket.beginAnew()
        }
        self.minute = minute
        let cells = harvests.map { self.bucket.add($0) }
        if writes { await self.write(at: now) }
        return cells
    }

    /// Notes which paths the rules in force know.
    package func note(_ ruleSet: RuleSet, at now: Timestamp) async {
        let (store, paths) = (self.store, ruleSet.censusPaths)
        await self.report { () throws(CensusStore.Failure) in
            try store.note(paths: paths, at: now)
            return nil
        }
    }

    /// The clients since a second, whom new rules are held against; none if they cannot be read.
    package nonisolated var clients: @Sendable (Timestamp) -> [CensusRow] {
        let store = self.store
        return { start in (try? store.rows(since: start)) ?? [] }
    }

    /// Those between two seconds, likewise.
    nonisolated var history: @Sendable (_ since: Timestamp, _ until: Timestamp) -> [CensusRow] {
        let store = self.store
        return { start, end in (try? store.rows(since: start, until: end)) ?? [] }
    }

    /// Everything that was written since a second.
    package nonisolated func rows(
        since start: Timestamp
    ) async throws(CensusStore.Failure) -> [CensusRow] {
        let store = self.store
        return try await BackgroundThread.records.run { () throws(CensusStore.Failure) in
            try store.rows(since: start)
        }
    }

    /// The requests from a second to another one, over time.
    package nonisolated func traffic(
        since start: Timestamp,
        until end: Timestamp
    ) async throws(CensusStore.Failure) -> TrafficReport {
        let store = self.store
        let step = TrafficReport.step(of: start.seconds(until: end))
        let series = try await BackgroundThread.records.run { () throws(CensusStore.Failure) in
            try store.series(since: start, step: step)
        }
        return TrafficReport(series, since: start, until: end)
    }

    private func write(at now: Timestamp) async {
        let (bucket, store) = (self.bucket.take(), self.store)
        self.status.overflow += bucket.overflow
        self.status.lostSightings += bucket.lostSightings
        let isDue = self.lastRollUp.map { $0.seconds(until: now) >= Self.rollUpInterval } ?? true
        if isDue { self.lastRollUp = now }
        self.denials.add(bucket, at: now)
        await self.report { () throws(CensusStore.Failure) in
            try store.add(bucket, at: now)
            if isDue { try store.rollUp(at: now) }
            return try store.usedBytes()
        }
        let requests = bucket.cells.values.reduce(0) { $0 + $1.requests }
        guard requests > 0 else { return }
        self.logger.debug(
            "census written",
            metadata: [
                "requests": .stringConvertible(requests),
                "cells": .stringConvertible(bucket.cells.count),
            ]
        )
    }

    /// Works on the file.
    ///
    /// Counts that cannot be written are lost: to keep them would take ever more memory.
    ///
    /// `work` says how large the census is, if it knows.
    private func report(
        _ work: @escaping @Sendable () throws(CensusStore.Failure) -> Int64?
    ) async {
        do throws(CensusStore.Failure) {
            if let bytes = try await BackgroundThread.records.run(work) {
                self.status.bytes = bytes
            }
            if self.isFailing { self.logger.notice("the census is written again") }
            self.isFailing = false
        } catch {
            self.status.failures += 1
            guard !self.isFailing else { return }
            self.isFailing = true
            self.logger.error("the census is not written", metadata: ["error": "\(error)"])
        }
    }
}

extension Census {
    /// The census of a folder, or one in memory where there is none, or none that can be used; what is
    /// wrong is logged.
    ///
    /// - Returns: The census, and what device ids are hashed by.
    package static func open(
        in folder: StateFolder?,
        limit: Int,
        logger: Logger
    ) -> (census: Census, hash: SipHash)? {
        do {
            let key = try CensusKey(in: folder)
            let store = try CensusStore(in: folder)
            if try store.use(keyDigest: key.digest) {
                logger.warning("the key of the census is another one: devices are counted anew")
            }
            let isKept = folder != nil
            return (Census(store: store, isKept: isKept, limit: limit, logger: logger), key.hash)
        } catch {
            logger.error("the census cannot be kept", metadata: ["error": "\(error)"])
            // In memory it is of use to the guard, and to whoever asks this gate.
            return folder == nil ? nil : self.open(in: nil, limit: limit, logger: logger)
        }
    }
}

/// The secret key that device ids are hashed under.
///
/// With it and a device id somebody could find out whether that device is in a sketch; without it, nobody
/// can. It stays in the state folder, for its owner alone, so that devices are known again after a
/// restart.
package struct CensusKey: Sendable {
    static let fileName = "census.key"

    package let hash: SipHash

    /// The key of a folder, which is made if there is none.
    ///
    /// - Parameter folder: The folder; `nil`: the key ends with the process.
    /// - Throws: The reason for which the key could not be kept.
    package init(in folder: StateFolder?) throws(StateFolder.Failure) {
        if let bytes = try? folder?.read(Self.fileName, atMost: SipHash.keyLength),
            let hash = SipHash(key: bytes)
        {
            self.hash = hash
            return
        }
        let bytes = Self.randomBytes()
        try folder?.replace(Self.fileName, with: bytes)
        guard let hash = SipHash(key: bytes) else { preconditionFailure("16 bytes are a key") }
        self.hash = hash
    }

    /// Stands for the key without telling it.
    package var digest: UInt64 { self.hash.hash(Array("versiongate census".utf8).span) }

    private static func randomBytes() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<SipHash.keyLength).map { _ in .random(in: .min ... .max, using: &generator) }
    }
}
