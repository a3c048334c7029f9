import GateProxy
import Logging
import NIOCore
import Synchronization
import Testing

@testable import GateAdmin

/// The slots for connections, tested without connections.
struct AdminConnectionsTests {
    private final class Connection: AdminConnections.Member {
        let network: ClientNetwork? = nil
        var losses = 0

        func loseSlot() { self.losses += 1 }
    }

    /// Records the number of closed connections in each log line.
    private struct Recorder: LogHandler {
        final class Lines: Sendable {
            let counts = Mutex<[String]>([])
        }

        let lines: Lines
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let count = event.metadata?["closed"]?.description ?? ""
            self.lines.counts.withLock { $0.append(count) }
        }
    }

    private static let limits: AdminLimits = {
        var limits = AdminLimits()
        limits.waiting = 1
        limits.receiving = 1
        limits.working = 2
        limits.draining = 1
        return limits
    }()

    private func connections(
        _ limits: AdminLimits = Self.limits,
        lines: Recorder.Lines = Recorder.Lines(),
        now: @escaping () -> NIODeadline = { .now() }
    ) -> AdminConnections {
        AdminConnections(
            limits,
            logger: Logger(label: "test") { _ in Recorder(lines: lines) },
            now: now
        )
    }

    @Test func `phases and audiences have separate slots`() {
        let connections = self.connections()
        let phases: [AdminPhase] = [
            .waiting, .receiving(.open), .receiving(.questions), .receiving(.changes), .draining,
        ]
        let first = phases.map { _ in Connection() }
        for (connection, phase) in zip(first, phases) { connections.move(connection, to: phase) }
        #expect(first.map(\.losses) == [0, 0, 0, 0, 0])
        connections.move(Connection(), to: .receiving(.open))
        #expect(first.map(\.losses) == [0, 1, 0, 0, 0])
    }

    @Test func `a connection that changes its phase or closes frees its slot`() {
        let connections = self.connections()
        let (first, second, third) = (Connection(), Connection(), Connection())
        connections.move(first, to: .waiting)
        connections.move(first, to: .draining)
        connections.move(second, to: .waiting)
        connections.move(second, to: nil)
        connections.move(third, to: .waiting)
        #expect([first, second, third].map(\.losses) == [0, 0, 0])
    }

    @Test func `draining connections are closed first, and the newest waiting one stays`() {
        var limits = Self.limits
        limits.waiting = 2
        let connections = self.connections(limits)
        let (idle, newest, closing, busy) = (
            Connection(), Connection(), Connection(), Connection()
        )
        connections.move(idle, to: .waiting)
        connections.move(newest, to: .waiting)
        connections.move(closing, to: .draining)
        connections.move(busy, to: .receiving(.open))
        let all = [closing, idle, newest, busy]
        let first = connections.closeSpare()
        #expect(first && all.map(\.losses) == [1, 0, 0, 0])
        let second = connections.closeSpare()
        #expect(second && all.map(\.losses) == [1, 1, 0, 0])
        let third = connections.closeSpare()
        #expect(!third && all.map(\.losses) == [1, 1, 0, 0])
    }

    @Test func `the concurrent work of each audience is limited`() {
        let connections = self.connections()
        for audience in AdminAudience.allCases {
            let begun = (0..<3).map { _ in connections.beginWork(for: audience) }
            #expect(begun == [true, true, false])
            connections.endWork(for: audience)
            let next = connections.beginWork(for: audience)
            #expect(next)
        }
    }

    @Test func `closed connections are logged once a minute`() {
        let lines = Recorder.Lines()
        var now = NIODeadline.uptimeNanoseconds(0)
        let connections = self.connections(lines: lines) { now }
        for second in 0..<130 {
            now = .uptimeNanoseconds(0) + .seconds(Int64(second))
            connections.move(Connection(), to: .waiting)
        }
        #expect(lines.counts.withLock { $0 } == ["1", "60", "60"])
    }

    @Test(
        arguments: [
            (nil, 256, 32), (1_048_576, 256, 32), (1024, 64, 16), (48, 16, 8),
        ] as [(UInt64?, Int, Int)]
    )
    func `the limits are reduced if the process has few file descriptors`(
        descriptors: UInt64?,
        waiting: Int,
        draining: Int
    ) {
        let limits = AdminLimits.defaults.fitting(descriptors: descriptors)
        #expect(limits.waiting == waiting)
        #expect(limits.draining == draining)
        #expect(AdminLimits.defaults.connections == 608)
    }
}
