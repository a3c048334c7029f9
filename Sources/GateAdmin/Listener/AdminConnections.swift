internal import GateProxy
internal import Logging
internal import NIOCore

/// The phase of a connection to the admin listener; each phase has its own slots.
enum AdminPhase: Hashable {
    /// Waits for the first or a subsequent request head.
    case waiting
    /// Receives a request body.
    case receiving(AdminAudience)
    /// Waits for the event loops of the data plane, to respond to a probe.
    case probing
    /// Sends a response that the client is slow to read.
    case sending(AdminAudience)
    /// Discards input after the last response.
    case draining
}

/// The connections of the admin listener, which all run on one event loop.
final class AdminConnections {
    /// A connection that `AdminConnections` manages.
    protocol Member: AnyObject {
        var network: ClientNetwork? { get }
        /// Ends the current phase because another connection takes the slot.
        func loseSlot()
    }

    /// The minimum time between two log messages about connections that lost their slots.
    private static let silence = TimeAmount.minutes(1)

    private let limits: AdminLimits
    private let logger: Logger
    private let now: () -> NIODeadline
    private var slots: [AdminPhase: ConnectionSlots<ObjectIdentifier>] = [:]
    private var phases: [ObjectIdentifier: AdminPhase] = [:]
    private var members: [ObjectIdentifier: any Member] = [:]
    private var working: [AdminAudience: Int] = [:]
    /// The number of connections that lost their slots since the last log message.
    private var losses = 0
    private var lastLine: NIODeadline?

    init(_ limits: AdminLimits, logger: Logger, now: @escaping () -> NIODeadline) {
        self.limits = limits
        self.logger = logger
        self.now = now
    }

    /// Moves a connection to a phase; `nil` means that the connection needs no slot.
    func move(_ member: any Member, to phase: AdminPhase?) {
        let id = ObjectIdentifier(member)
        if let last = self.phases.removeValue(forKey: id) { self.slots[last]?.free(id) }
        guard let phase else {
            self.members[id] = nil
            return
        }
        self.members[id] = member
        self.phases[id] = phase
        let limit = self.limit(of: phase)
        let loser = self.slots[phase, default: ConnectionSlots(limit: limit)]
            .take(id, from: member.network)
        if let loser { self.end(loser) }
    }

    /// Closes a draining connection, or an idle connection if none is draining; returns false if there is neither.
    ///
    /// The newest idle connection is kept, because it may be about to send a request.
    func closeSpare() -> Bool {
        for (phase, needed) in [(AdminPhase.draining, 1), (.waiting, 2)] {
            guard let count = self.slots[phase]?.count, count >= needed,
                let loser = self.slots[phase]?.freeOldest()
            else { continue }
            self.end(loser)
            return true
        }
        return false
    }

    /// Counts a request as in progress; returns false if too many requests are in progress.
    ///
    /// Requests are counted instead of connections because the work continues after the client has
    /// disconnected.
    func beginWork(for audience: AdminAudience) -> Bool {
        guard self.working[audience, default: 0] < self.limits.working else { return false }
        self.working[audience, default: 0] += 1
        return true
    }

    func endWork(for audience: AdminAudience) {
        self.working[audience, default: 0] -= 1
    }

    private func end(_ id: ObjectIdentifier) {
        self.phases[id] = nil
        let member = self.members.removeValue(forKey: id)
        self.noteLoss()
        member?.loseSlot()
    }

    private func noteLoss() {
        self.losses += 1
        let now = self.now()
        if let last = self.lastLine, now - last < Self.silence { return }
        self.logger.warning(
            "admin listener: too many connections; the oldest were closed",
            metadata: ["closed": "\(self.losses)"]
        )
        (self.losses, self.lastLine) = (0, now)
    }

    private func limit(of phase: AdminPhase) -> Int {
        switch phase {
        case .waiting: self.limits.waiting
        case .receiving: self.limits.receiving
        case .probing: self.limits.probing
        case .sending: self.limits.sending
        case .draining: self.limits.draining
        }
    }
}

@available(*, unavailable)
extension AdminConnections: Sendable {}
