package import GateCensus
package import GatePolicy
internal import GateSystem
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
        /// The store of the fleet; `nil`: there is none.
        package var store: FleetStore.Status?

        package init(isKept: Bool) {
            self.isKept = isKept
        }
    }

    package var status: Status {
        var status = self.figures
        status.store = self.fleet?.status
        return status
    }

    private static let rollUpInterval: Int64 = 600

    package nonisolated let store: CensusStore
    /// The store that the gates of a fleet share; `nil`: none.
    package nonisolated let fleet: FleetStore?
    /// A sample of the devices that were refused; `nil`: there is none.
    package nonisolated let returns: ReturnStore?
    private var figures: Status
    /// The last requests that were refused, as far as there is room for them.
    package private(set) var denials = RecentDenials()
    /// Whether there is a page, whose first questions are to be answered at once.
    private let hasPage: Bool
    private let logger: Logger
    private var bucket: CensusBucket
    /// The minute whose cells are counted, since 1970.
    private var minute: Int64?
    private var lastRollUp: Timestamp?
    private var isFailing = false
    /// When rules decided since the start, and before it as far as somebody has asked.
    private var matches: [String: LastMatch] = [:]
    private var knowsMatches = false
    private var lastWrite: Timestamp?

    /// A census that has counted nothing yet.
    ///
    /// - Parameters:
    ///   - store: Keeps it.
    ///   - isKept: Whether the store outlives the process.
    ///   - limit: The most cells of clients in a minute.
    ///   - fleet: Takes the devices, for all gates; `nil`: nobody does.
    ///   - returns: Keeps a sample of the devices that were refused; `nil`: nobody does.
    ///   - hasPage: Whether there is a page, whose first questions are to be answered at once.
    ///   - logger: Told when it cannot be written, and when it can again.
    package init(
        store: CensusStore,
        isKept: Bool,
        limit: Int,
        fleet: FleetStore? = nil,
        returns: ReturnStore? = nil,
        hasPage: Bool = false,
        logger: Logger
    ) {
        self.store = store
        self.hasPage = hasPage
        self.fleet = fleet
        self.returns = returns
        self.figures = Status(isKept: isKept)
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
        self.returns?.add(harvests, at: now)
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
        return { start in (try? store.rows(since: start, withShapes: true)) ?? [] }
    }

    /// Those between two seconds, likewise.
    package nonisolated var history:
        @Sendable (_ since: Timestamp, _ until: Timestamp) -> [CensusRow]
    {
        let store = self.store
        return { start, end in
            (try? store.rows(since: start, until: end, withShapes: true)) ?? []
        }
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

    /// What somebody makes of the requests from a second to another one, over time.
    ///
    /// It is made where the census is read: to write down 500 versions takes as long as to read
    /// them, and an event loop must not wait for either.
    package nonisolated func traffic<Answer: Sendable>(
        since start: Timestamp,
        until end: Timestamp,
        _ answer: @escaping @Sendable (TrafficReport) -> Answer
    ) async throws(CensusStore.Failure) -> Answer {
        let store = self.store
        let step = TrafficReport.step(of: start.seconds(until: end))
        return try await BackgroundThread.records.run { () throws(CensusStore.Failure) in
            let series = try store.series(since: start, step: step)
            return answer(TrafficReport(series, since: start, until: end))
        }
    }

    /// When each rule last decided about a request, by its id.
    package func lastMatches(
        at now: Timestamp
    ) async throws(CensusStore.Failure) -> [String: LastMatch] {
        guard !self.knowsMatches else { return self.matches }
        let store = self.store
        let kept = try await BackgroundThread.records.run { () throws(CensusStore.Failure) in
            try store.lastMatches(at: now)
        }
        // The counts of meanwhile are newer.
        self.matches.merge(kept) { $0.at < $1.at ? $1 : $0 }
        self.knowsMatches = true
        return self.matches
    }

    /// Notes which rules decided since the last time.
    private func noteMatches(_ bucket: CensusBucket, at now: Timestamp) {
        let within = self.lastWrite.map { max($0.seconds(until: now), 0) } ?? 60
        self.lastWrite = now
        for (cell, figures) in bucket.cells where figures.requests > 0 {
            self.matches[cell.outcome.rule] = LastMatch(at: now, within: within)
        }
    }

    /// What somebody makes of the census since a second, with the devices of the fleet if there is
    /// one; where the census is read, as with `traffic`.
    package nonisolated func report<Answer: Sendable>(
        since start: Timestamp,
        until end: Timestamp,
        _ answer: @escaping @Sendable (CensusReport) -> Answer
    ) async throws(CensusStore.Failure) -> Answer {
        let (store, fleet) = (self.store, self.fleet)
        return try await BackgroundThread.records.run { () throws(CensusStore.Failure) in
            var report = CensusReport(try store.rows(since: start), since: start, until: end)
            if let fleet { report.add(fleet) }
            return answer(report)
        }
    }

    private func write(at now: Timestamp) async {
        let (bucket, store, returns) = (self.bucket.take(), self.store, self.returns)
        self.noteMatches(bucket, at: now)
        self.figures.overflow += bucket.overflow
        self.figures.lostSightings += bucket.lostSightings
        // Once an hour is over, sums that began with one of a week ago begin with the next.
        let isDue =
            self.lastRollUp.map { last in
                last.seconds(until: now) >= Self.rollUpInterval || last.hour != now.hour
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
            // Nobody waits for it; who asks reads it for himself if it fails.
            BackgroundThread.records.add { try? store.prepare(at: now) }
        }
        if let fleet {
            // Whoever waits for the write does not wait for the store of the fleet.
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
                self.figures.bytes = bytes
            }
            if self.isFailing { self.logger.notice("the census is written again") }
            self.isFailing = false
        } catch {
            self.figures.failures += 1
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
    /// - Parameters:
    ///   - folder: The folder.
    ///   - limit: The most cells of clients in a minute.
    ///   - hash: The hash of device ids, if it is not that of the folder.
    ///   - fleet: The store that the gates of a fleet share; `nil`: none.
    ///   - samplesReturns: Whether a sample of the devices that are refused is kept.
    ///   - hasPage: Whether there is a page, whose first questions are to be answered at once.
    ///   - logger: Told what is wrong.
    /// - Returns: The census, and what device ids are hashed by.
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
                logger.warning("the key of the census is another one: devices are counted anew")
            }
            let census = Census(
                store: store,
                isKept: folder != nil,
                limit: limit,
                fleet: fleet.map { FleetStore($0, logger: logger) },
                returns: samplesReturns ? try ReturnStore(in: folder, keyDigest: key.digest) : nil,
                hasPage: hasPage,
                logger: logger
            )
            return (census, key.hash)
        } catch {
            logger.error("the census cannot be kept", metadata: ["error": "\(error)"])
            // In memory it is of use to the guard, and to whoever asks this gate.
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

/// The secret key that device ids are hashed under.
///
/// With it and a device id somebody could find out whether that device is in a sketch; without it, nobody
/// can. It stays in the state folder, for its owner alone, so that devices are known again after a
/// restart.
package struct CensusKey: Sendable {
    static let fileName = "census.key"

    package let hash: SipHash

    fileprivate init(hash: SipHash) {
        self.hash = hash
    }

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

    /// The hash under the key in a file: 32 hexadecimal digits, the same at all gates of a fleet.
    ///
    /// - Parameter path: The file.
    /// - Returns: `nil` if there is no such key in it.
    package static func hash(fromFile path: String) -> SipHash? {
        guard let content = try? FileContent(path: path, atMost: 1_024) else { return nil }
        let digits = content.bytes.filter { $0 > UInt8(ascii: " ") }
        guard digits.count == 2 * SipHash.keyLength else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
        return SipHash(key: bytes)
    }

    /// Stands for the key without telling it.
    package var digest: UInt64 { self.hash.hash(Array("versiongate census".utf8).span) }

    private static func randomBytes() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<SipHash.keyLength).map { _ in .random(in: .min ... .max, using: &generator) }
    }
}

extension Timestamp {
    /// Hours since 1970.
    fileprivate var hour: Int64 { self.secondsSinceEpoch / CensusStore.Span.hour.rawValue }
}
