import Foundation
import GateTestSupport
import StandInStreams
import Synchronization
import Testing

@testable import GateEnvoy

/// The module on several threads, as Envoy's workers call it.
@Suite(.ownThread)
struct ModuleThreadTests {
    /// What the threads have seen.
    private final class Record: Sendable {
        let isOver = Atomic(false)
        let denials = Atomic(0)
        let faults = Mutex<[String]>([])
    }

    /// Returns a revision, whose number is in two places.
    private static func rules(_ number: Int) -> String {
        """
        rules:
          - id: load
            match: { platform: ios }
            minimum: "\(number).0.0"
            storeUrl: https://example.com/\(number)/
        """
    }

    @Test func `four threads get whole revisions while the rules change`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.rules(2), to: "rules.yaml")
        // Envoy's main thread creates both before any request.
        let observing = try #require(Route("mode: observe"))
        let follower = try RulesFollower(.files(path: folder.path(of: "rules.yaml")))
        let configuration = Configuration(follower)
        let record = Record()
        let (opens, ends) = (DispatchGroup(), DispatchGroup())
        for _ in 0..<4 {
            opens.enter()
            ends.enter()
            Thread.detachNewThread {
                Self.evaluate(configuration, observing, record, opens)
                ends.leave()
            }
        }
        opens.wait()
        for number in 3...40 {
            // A broken file in between changes nothing.
            try folder.replace(
                "rules.yaml",
                with: number % 5 == 0 ? "rules: [" : Self.rules(number)
            )
            for _ in 0..<2 { follower.check() }
            follower.wakeStreams()
        }
        record.isOver.store(true, ordering: .releasing)
        ends.wait()
        #expect(record.faults.withLock { $0 } == [])
        #expect(follower.openStreams.count == 0)
        #expect(record.denials.load(ordering: .acquiring) > 100)
    }

    /// Opens an event stream.
    private static func eventStream(
        of version: String,
        _ configuration: Configuration
    ) -> StandInStream? {
        guard let stream = StandInStream(configuration) else { return nil }
        let client = ["X-App-Platform: ios", "X-App-Version: \(version)"]
        guard stream.send(client + ["Accept: text/event-stream"]) else { return nil }
        stream.receive([":status: 200", "content-type: text/event-stream"])
        return stream
    }

    /// Sends requests until the rules no longer change.
    private static func evaluate(
        _ configuration: Configuration,
        _ observing: Route,
        _ record: Record,
        _ opens: DispatchGroup
    ) {
        // These pass for as long as the minimum is not above their versions.
        func open() -> [(stream: StandInStream, isEndless: Bool)] {
            [("99.0", true), ("20.5", false)].compactMap { version, isEndless in
                Self.eventStream(of: version, configuration).map { ($0, isEndless) }
            }
        }
        let (lasting, idle) = (open(), open())
        if lasting.count + idle.count != 4 { record.faults.withLock { $0.append("no stream") } }
        opens.leave()
        defer {
            let continuing =
                lasting.map { $0.stream.receiveData() }
                + idle.map { $0.stream.runEvents() != nil }
            let expected = (lasting + idle).map(\.isEndless)
            if continuing != expected { record.faults.withLock { $0.append("\(continuing)") } }
        }
        var count = 0
        while !record.isOver.load(ordering: .acquiring) {
            count += 1
            for (stream, _) in idle { _ = stream.runEvents() }
            if count % 10 == 0, let endless = lasting.first?.0, !endless.receiveData() {
                record.faults.withLock { $0.append("a stream ends") }
            }
            let short = count % 10 == 5 ? Self.eventStream(of: "99.0", configuration) : nil
            if count % 10 == 5, short?.runEvents() == nil {
                record.faults.withLock { $0.append("a new stream ends") }
            }
            guard let stream = StandInStream(configuration) else { return }
            let isObserved = count % 3 == 0
            if isObserved { stream.use(observing) }
            let passes = stream.send(["X-App-Platform: ios", "X-App-Version: 1.\(count % 50)"])
            if passes != isObserved {
                record.faults.withLock { $0.append("passes: \(passes)") }
            }
            guard !passes else { continue }
            record.denials.add(1, ordering: .relaxed)
            let isWhole = (2...40).contains { number in
                stream.body.contains("\"minimumVersion\":\"\(number).0.0\"")
                    && stream.body.contains("https://example.com/\(number)/")
            }
            if !isWhole { record.faults.withLock { $0.append(stream.body) } }
        }
    }
}
