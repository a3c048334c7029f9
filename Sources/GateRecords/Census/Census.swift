package import GateCensus
package import GatePolicy
internal import GateSystem
package import Logging

/// Collects the counts from the event loops, and stores them.
package actor Census {
    /// The status of the census, for metrics.
    package struct Status: Sendable, Equatable {
        /// The number of requests counted without their client since startup, because the cell
        /// limit was reached.
        package var overflow: UInt64 = 0
        /// The number of device sightings that were dropped, because the table of sightings was
        /// full.
        package var lostSightings: UInt64 = 0
        /// Whether the census persists across restarts.
        package var isKept: Bool
        /// The number of failed writes since startup.
        package var failures: UInt64 = 0
        package var bytes: Int64 = 0
        /// The status of the fleet's store; `nil` if there is none.
        package var store: FleetStore.Status?
    }

    package var status: Status {
        var status = self.figures
        status.store = self.fleet?.status
        return status
    }

    private static let rollUpInterval: Int64 = 600
    /// The name of a file in the state folder whose presence means that the census contains demo
    /// data.
    package static let demoMark = "demo-data"

    package nonisolated let store: CensusStore
    /// The store that the gates of a fleet share; `nil` if there is none.
    package nonisolated let fleet: FleetStore?
    /// A sample of the denied devices; `nil` if there is none.
    package nonisolated let returns: ReturnStore?
    private var figures: Status
    /// A bounded sample of recent denials.
    package private(set) var denials = RecentDenials()
    /// Whether the census contains demo data.
    package nonisolated let hasDemoData: Bool
    /// Whether the admin listener serves the page; if so, the data that the page loads first is cached.
    private let hasPage: Bool
    private let logger: Logger
    private var bucket: CensusBucket
    /// The minute whose cells are being counted, in minutes since 1970.
    private var minute: Int64?
    private var lastRollUp: Timestamp?
    private var isFailing = false
    /// The last match of each rule since startup; includes earlier matches once they have been loaded.
    private var matches: [String: LastMatch] = [:]
    private var hasLoadedMatches = false
    private var lastWrite: Timestamp?

    /// Creates an empty census with at most `limit` client cells per minute.
    package init(
        store: CensusStore,
        isKept: Bool,
        limit: Int,
        fleet: FleetStore? = nil,
        returns: ReturnStore? = nil,
        hasPage: Bool = false,
        hasDemoData: Bool = false,
        logger: Logger
    ) {
        self.store = store
        self.hasDemoData = hasDemoData
        self.hasPage = hasPage
        self.fleet = fleet
        self.returns = returns
        self.figures = Status(isKept: isKept)
        self.logger = logger
        self.bucket = CensusBucket(limit: limit)
    }

    /// Adds the counts from event loops.
    ///
    /// - Parameters:
    ///   - harvests: The counts.
    ///   - now: The current time.
    ///   - writes: Whether to write the counts immediately, instead of with the next counts.
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
        self.returns?.add(harvests, at: now)
        let cells = harvests.map { self.bucket.add($0) }
        if writes { await self.write(at: now) }
        return cells
    }

    /// Records which paths the active rules distinguish.
    package func note(_ ruleSet: RuleSet, at now: Timestamp) async {
        let (store, paths) = (self.store, ruleSet.censusPaths)
        await self.report { () throws(CensusStore.Failure) in
            try store.note(paths: paths, at: now)
            return nil
        }
    }

    /// Returns the clients since a time, for the evaluation of new rules; the result is empty if
    /// they cannot be read.
    package nonisolated var clients: @Sendable (Timestamp) -> [CensusRow] {
        { [store] start in (try? store.rows(since: start, withShapes: true)) ?? [] }
    }

    /// Returns the clients between two times; the result is empty if they cannot be read.
    package nonisolated var history:
        @Sendable (_ since: Timestamp, _ until: Timestamp) -> [CensusRow]
    {
        { [store] start, end in
            (try? store.rows(since: start, until: end, withShapes: true)) ?? []
        }
    }

    /// Returns the result of `answer` for the traffic between two times.
    package nonisolated func traffic<Answer: Sendable>(
        since start: Timestamp,
        until end: Timestamp,
        _ answer: @escaping @Sendable (TrafficReport) -> Answer
    ) async throws(CensusStore.Failure) -> Answer {
        let step = TrafficReport.step(of: start.seconds(until: end))
        return try await self.read { store throws(CensusStore.Failure) in
            let series = try store.series(since: start, step: step)
            return answer(TrafficReport(series, since: start, until: end))
        }
    }

    /// Returns the last match of each rule, by rule ID.
    package func lastMatches(
        at now: Timestamp
    ) async throws(CensusStore.Failure) -> [String: LastMatch] {
        guard !self.hasLoadedMatches else { return self.matches }
        let kept = try await self.read { store throws(CensusStore.Failure) in
            try store.lastMatches(at: now)
        }
        // Matches that were counted in the meantime are newer.
        self.matches.merge(kept) { $0.at < $1.at ? $1 : $0 }
        self.hasLoadedMatches = true
        return self.matches
    }

    /// Records which rules matched since the last write.
    private func noteMatches(_ bucket: CensusBucket, at now: Timestamp) {
        let within = self.lastWrite.map { max($0.seconds(until: now), 0) } ?? 60
        self.lastWrite = now
        for (cell, figures) in bucket.cells where figures.requests > 0 {
            self.matches[cell.outcome.rule] = LastMatch(at: now, within: within)
        }
    }

    /// Returns the result of `answer` for the census since a time, including the devices of the
    /// fleet if there is one.
    package nonisolated func report<Answer: Sendable>(
        since start: Timestamp,
        until end: Timestamp,
        _ answer: @escaping @Sendable (CensusReport) -> Answer
    ) async throws(CensusStore.Failure) -> Answer {
        try await self.read { [fleet] store throws(CensusStore.Failure) in
            var report = CensusReport(try store.rows(since: start), since: start, until: end)
            if let fleet { report.add(fleet) }
            return answer(report)
        }
    }

    /// Runs `body` with the store on the records thread, and returns its result.
    ///
    /// `body` should also encode the result: encoding 500 versions takes as long as reading them, so
    /// it must not be done on an event loop.
    package nonisolated func read<Answer: Sendable>(
        _ body: @escaping @Sendable (CensusStore) throws(CensusStore.Failure) -> Answer
    ) async throws(CensusStore.Failure) -> Answer {
        let store = self.store
        return try await BackgroundThread.records.run { () throws(CensusStore.Failure) in
            try body(store)
        }
    }

    private func write(at now: Timestamp) async {
        let (bucket, store, returns) = (self.bucket.take(), self.store, self.returns)
        self.noteMatches(bucket, at: now)
        self.figures.overflow += bucket.overflow
        self.figures.lostSightings += bucket.lostSightings
        // Sums over the last week must start at a full hour, so each hour is merged as soon as it
        // has ended.
        let isDue =
            self.lastRollUp.map { last in
                last.seconds(until: now) >= Self.rollUpInterval
                    || CensusStore.Span.hour.start(of: last) != CensusStore.Span.hour.start(of: now)
            } ?? true
        if isDue { self.lastRollUp = now }
        self.denials.add(bucket, at: now)
        await self.report { () throws(CensusStore.Failure) in
            try store.add(bucket, at: now)
            try returns?.write(at: now)
            if isDue { try store.rollUp(at: now) }
            return try store.usedBytes()
        }
        if isDue, self.hasPage {
            _ = try? await self.lastMatches(at: now)
            // The data is prefetched; if this fails, the query reads it.
            BackgroundThread.records.add { try? store.prepare(at: now) }
        }
        if let fleet {
            // The delivery follows the write, so that callers do not wait for the fleet's store.
            BackgroundThread.records.add { fleet.deliver(bucket, of: store, at: now) }
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

    /// Runs `work`, which uses the file, and logs its failures and recovery.
    ///
    /// Counts that cannot be written are dropped, because memory use would otherwise grow without
    /// limit.
    ///
    /// `work` returns the size of the census in bytes; `nil` if it is unknown.
    private func report(
        _ work: @escaping @Sendable () throws(CensusStore.Failure) -> Int64?
    ) async {
        do throws(CensusStore.Failure) {
            if let bytes = try await BackgroundThread.records.run(work) {
                self.figures.bytes = bytes
            }
            if self.isFailing { self.logger.notice("the census can be written to again") }
            self.isFailing = false
        } catch {
            self.figures.failures += 1
            guard !self.isFailing else { return }
            self.isFailing = true
            self.logger.error("the census cannot be written to", metadata: ["error": "\(error)"])
        }
    }
}

extension Census {
    /// Opens the census in a folder.
    ///
    /// Without a folder, or if the census in the folder cannot be used, the census is kept in
    /// memory. The reason is logged.
    ///
    /// `hash` is the hash for device IDs; if it is `nil`, the key in the folder is used.
    ///
    /// - Returns: The census, and the hash for device IDs.
    package static func open(
        in folder: StateFolder?,
        limit: Int,
        hash: SipHash? = nil,
        fleet: FleetStore.Settings? = nil,
        samplesReturns: Bool = false,
        hasPage: Bool = false,
        logger: Logger
    ) -> (census: Census, hash: SipHash)? {
        do {
            let key = try hash.map(CensusKey.init(hash:)) ?? CensusKey(in: folder)
            let store = try CensusStore(in: folder)
            if try store.use(keyDigest: key.digest) {
                logger.warning("the census key has changed: device counts start again from zero")
            }
            let census = Census(
                store: store,
                isKept: folder != nil,
                limit: limit,
                fleet: fleet.map { FleetStore($0, logger: logger) },
                returns: samplesReturns ? try ReturnStore(in: folder, keyDigest: key.digest) : nil,
                hasPage: hasPage,
                hasDemoData: (try? folder?.read(self.demoMark, atMost: 1_024)) != nil,
                logger: logger
            )
            if census.hasDemoData {
                logger.warning("the state directory contains demo data, not only real traffic")
            }
            return (census, key.hash)
        } catch {
            logger.error("the census cannot be stored", metadata: ["error": "\(error)"])
            // A census in memory is still sufficient for the circuit breaker and for queries to
            // this gate.
            guard folder != nil else { return nil }
            return self.open(
                in: nil,
                limit: limit,
                hash: hash,
                fleet: fleet,
                samplesReturns: samplesReturns,
                hasPage: hasPage,
                logger: logger
            )
        }
    }
}

/// The secret key for hashing device IDs.
///
/// With the key, it can be determined whether a device ID is in a sketch; without the key, it
/// cannot. The key is stored in the state folder, readable only by its owner, so that devices are
/// recognized after a restart.
package struct CensusKey: Sendable {
    static let fileName = "census.key"

    package let hash: SipHash

    fileprivate init(hash: SipHash) {
        self.hash = hash
    }

    /// Reads the key in a folder, or creates it if there is none.
    ///
    /// - Parameter folder: The folder; `nil` for a key that is not stored.
    /// - Throws: The reason why the key could not be stored.
    package init(in folder: StateFolder?) throws(StateFolder.Failure) {
        if let bytes = try? folder?.read(Self.fileName, atMost: SipHash.keyLength),
            let hash = SipHash(key: bytes)
        {
            self.hash = hash
            return
        }
        let bytes = (0..<SipHash.keyLength).map { _ in UInt8.random(in: .min ... .max) }
        try folder?.replace(Self.fileName, with: bytes)
        guard let hash = SipHash(key: bytes) else { preconditionFailure("16 bytes are a key") }
        self.hash = hash
    }

    /// Reads a key from a file with 32 hexadecimal digits, which all gates of a fleet use; returns
    /// `nil` if the file contains no such key.
    package static func hash(fromFile path: String) -> SipHash? {
        guard let content = try? FileContent(path: path, atMost: 1_024) else { return nil }
        let digits = content.bytes.filter { $0 > UInt8(ascii: " ") }
        guard digits.count == 2 * SipHash.keyLength else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { start -> UInt8? in
            let pair = String(decoding: digits[start..<start + 2], as: UTF8.self)
            // `UInt8` would also accept a sign.
            return pair.allSatisfy(\.isHexDigit) ? UInt8(pair, radix: 16) : nil
        }
        return SipHash(key: bytes)
    }

    /// A digest that identifies the key without revealing it.
    package var digest: UInt64 { self.hash.hash(Array("versiongate census".utf8).span) }
}
