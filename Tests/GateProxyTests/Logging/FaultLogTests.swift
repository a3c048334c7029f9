import Logging
import NIOCore
import Synchronization
import Testing

@testable import GateProxy

struct FaultLogTests {
    /// Records log messages.
    private struct Recorder: LogHandler {
        final class Lines: Sendable {
            let all = Mutex<[String]>([])
        }

        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = (event.metadata ?? [:]).map { "\($0)=\($1)" }.sorted()
            self.lines.all.withLock {
                $0.append("\(event.message) \(metadata.joined(separator: " "))")
            }
        }
    }

    private func log() -> (FaultLog, Recorder.Lines) {
        let lines = Recorder.Lines()
        return (FaultLog(Logger(label: "test") { _ in Recorder(lines: lines) }), lines)
    }

    @Test func `a fault is logged once a second, with the number of suppressed lines`() {
        var (log, lines) = self.log()
        let start = NIODeadline.now()
        for milliseconds in [0, 1, 500, 999, 1000, 1001] as [Int64] {
            log.report(
                .malformedResponse,
                ["fault": "\(milliseconds)"],
                at: start + .milliseconds(milliseconds)
            )
        }
        #expect(
            lines.all.withLock { $0 } == [
                "malformed response from the backend fault=0",
                "malformed response from the backend fault=1000 suppressed=3",
            ]
        )
    }

    private static let faults: [LoggedFault] =
        [.unreachableBackend, .lostBackend, .malformedResponse]
        + Refusal.allCases.map(LoggedFault.refusal)

    @Test func `a fault does not suppress another one`() {
        var (log, lines) = self.log()
        let now = NIODeadline.now()
        for fault in Self.faults + Self.faults { log.report(fault, at: now) }
        #expect(lines.all.withLock { $0.count } == Self.faults.count)
        #expect(Set(Self.faults.map(\.message.description)).count == Self.faults.count)
    }

    @Test func `each refusal has its own counter`() {
        #expect(Set(Refusal.allCases.map(\.counter)).count == Refusal.allCases.count)
    }
}

struct LogLimiterTests {
    @Test func `one line a second is admitted, with the number of suppressed ones`() {
        var limiter = LogLimiter()
        let start = NIODeadline.now()
        #expect(limiter.admit(at: start) == 0)
        #expect(limiter.admit(at: start) == nil)
        #expect(limiter.admit(at: start + .milliseconds(999)) == nil)
        #expect(limiter.admit(at: start + .seconds(1)) == 2)
        #expect(limiter.admit(at: start + .milliseconds(1500)) == nil)
        #expect(limiter.admit(at: start + .seconds(9)) == 1)
        #expect(limiter.admit(at: start + .seconds(10)) == 0)
    }
}
