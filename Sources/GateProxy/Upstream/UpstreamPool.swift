import Glibc
import Logging
import NIOCore

/// One event loop's connections to a backend, by address.
///
/// The most recently used connection is reused first, because it is the least likely to have been
/// closed by the backend, and because connections that are not needed can then expire.
final class UpstreamPool {
    /// Opens a connection; the future never completes before the function returns.
    typealias Connect = (UpstreamAddress, UpstreamProtocol) -> EventLoopFuture<UpstreamLink>

    /// An address of the backend with its connections.
    final class Member {
        let address: UpstreamAddress
        /// The index in the pool, or `nil` after the address was removed.
        fileprivate(set) var index: Int?
        /// Whether the pool must be notified of responses, because the address has failed recently.
        fileprivate(set) var isSuspect = false
        fileprivate unowned let pool: UpstreamPool
        fileprivate var idle = ConnectionRegistry<UpstreamConnection>()
        var shared = SharedConnections()
        /// The number of requests that were sent completely since the last response started.
        fileprivate var unanswered = 0
        /// The time at which the first of the `unanswered` requests was sent.
        fileprivate var unansweredSince = NIODeadline.uptimeNanoseconds(0)
        /// Whether the backend uses HTTP/2, or `nil` if the protocol has not been negotiated.
        var isShared: Bool?

        fileprivate init(address: UpstreamAddress, pool: UpstreamPool) {
            self.address = address
            self.pool = pool
            self.isShared =
                switch address.target.speaks {
                case .http1: false
                case .http2: true
                case .negotiated: nil
                }
        }
    }

    /// The name of the backend, or `nil` for the default backend.
    private let name: String?
    let eventLoop: any EventLoop
    private let timeouts: GateTimeouts
    let connect: Connect
    private let logger: Logger
    private var members: [Member] = []
    private var balancer: UpstreamBalancer
    private var faultLog: FaultLog
    private var failures: [UpstreamTarget: BackendStatistics.Failures] = [:]
    private var isClosed = false

    /// The name of the pool for routes to backends that are not in the settings; no backend can
    /// have this name.
    static let unknownName = ""

    init(
        name: String? = nil,
        eventLoop: any EventLoop,
        timeouts: GateTimeouts,
        addresses: [UpstreamAddress],
        logger: Logger,
        connect: @escaping Connect
    ) {
        self.name = name
        // A route may fall back to the default backend, so even the last address can be excluded.
        self.balancer = UpstreamBalancer(
            count: 0,
            turn: Int.random(in: 0..<1024),
            excludesLast: name != nil
        )
        self.eventLoop = eventLoop
        self.timeouts = timeouts
        self.connect = connect
        self.logger = logger
        self.faultLog = FaultLog(logger)
        self.use(addresses)
    }

    /// Replaces the addresses, and closes connections to removed addresses once they are unused.
    func use(_ addresses: [UpstreamAddress]) {
        let old = self.members
        for member in old { member.index = nil }
        let origins = addresses.map { address in old.firstIndex { $0.address == address } }
        self.members = zip(addresses, origins).map { address, origin in
            origin.map { old[$0] } ?? Member(address: address, pool: self)
        }
        self.balancer.replace(with: origins)
        for (index, member) in self.members.enumerated() {
            member.index = index
            member.isSuspect = self.balancer.isSuspect(index)
        }
        for member in old where member.index == nil { member.closeIdle() }
    }

    /// The address for a request.
    struct Choice {
        let member: Member
        /// The trial, or `nil` for an ordinary request.
        var trial: Trial?
    }

    /// A trial request, whose outcome determines whether an address is used again.
    struct Trial {
        fileprivate let member: Member
        fileprivate let trial: UpstreamBalancer.Trial

        /// Records that the request has ended.
        ///
        /// If the trial has no result yet, the next request becomes the trial.
        func end() { self.member.pool.ended(self) }
    }

    /// Returns the address for the next request, or `nil` if none is known.
    func next(at now: NIODeadline) -> Choice? {
        if self.members.count == 1 { return Choice(member: self.members[0]) }
        return self.balancer.choose(at: now).map { self.choice($0) }
    }

    /// Returns another address for a request that could not reach the addresses in `tried`.
    ///
    /// `insisting` indicates whether to select an excluded address if there is no other.
    func next(at now: NIODeadline, besides tried: [Member], insisting: Bool) -> Choice? {
        self.balancer.choose(at: now, besides: tried.compactMap(\.index), insisting: insisting)
            .map { self.choice($0) }
    }

    private func choice(_ choice: UpstreamBalancer.Choice) -> Choice {
        let member = self.members[choice.index]
        return Choice(member: member, trial: choice.trial.map { Trial(member: member, trial: $0) })
    }

    fileprivate func ended(_ trial: Trial) {
        guard let index = trial.member.index else { return }
        self.balancer.trialEnded(trial.trial, of: index, at: .now())
    }

    /// The reason why no connection to the backend could be opened.
    struct ConnectError: Error {
        let cause: any Error

        var isTimeout: Bool {
            if case .connectTimeout? = self.cause as? ChannelError { true } else { false }
        }

        /// Whether this machine has run out of file descriptors, ports or memory.
        var isOutOfDescriptors: Bool {
            let code = (self.cause as? IOError)?.errnoCode
            return [EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL].contains(code)
        }
    }

    /// Reports a request that failed because no address is known.
    func reportNoAddress() {
        let reason =
            self.name == Self.unknownName
            ? "a route names a backend that is not in the settings"
            : "no address is known: the host name has never been resolved"
        self.logFailure(reason, of: nil)
    }

    func closeOverdue(at now: NIODeadline) {
        for member in self.members {
            if member.isSilent(at: now) { self.fellSilent(member) }
            for connection in member.idle.overdue(at: now) { connection.close() }
            for connection in member.shared.connections {
                connection.closeOverdue(at: now)
            }
        }
    }

    func closeAll() {
        self.isClosed = true
        for member in self.members { member.closeIdle() }
    }
}

extension UpstreamPool.Member {
    /// Whether HTTP/1.1 can be used, which a protocol upgrade requires.
    var canUpgrade: Bool { self.address.target.speaks != .http2 }

    /// Opens a connection to the address, or waits for capacity on an existing one.
    ///
    /// `done` is called on the event loop, never before this method returns. `upgrading` indicates
    /// whether the request asks for a protocol upgrade, which requires HTTP/1.1.
    func connect(upgrading: Bool, _ done: @escaping UpstreamPool.Done) {
        if self.isShared == false || upgrading && self.canUpgrade {
            self.pool.connectExclusive(to: self, done)
        } else {
            self.pool.connectShared(to: self, done)
        }
    }

    /// Whether the address is still in use.
    var serves: Bool { self.index != nil && !self.pool.isClosed }

    /// Returns an idle connection or a stream of a shared connection, or `nil` if there is none.
    func take(upgrading: Bool = false) -> UpstreamConnection? {
        if self.isShared == true, !upgrading || !self.canUpgrade { return self.shared.take() }
        return self.idle.popLast()
    }

    /// Keeps a connection for another request, or closes it if the address is no longer used.
    func keep(_ connection: UpstreamConnection, at now: NIODeadline) {
        let pool = self.pool
        guard self.index != nil, !pool.isClosed else { return connection.close() }
        connection.deadline = now + pool.timeouts.upstreamIdle
        self.idle.add(connection)
    }

    /// Removes a connection that was closed while it was idle.
    func remove(_ connection: UpstreamConnection) {
        self.idle.remove(connection)
    }

    /// Records that a request was sent completely, so that only the backend can delay its response.
    func asked(at now: NIODeadline) {
        if self.unanswered == 0 { self.unansweredSince = now }
        self.unanswered += 1
    }

    /// Records that a response has started.
    func answered() {
        self.unanswered = 0
        if self.isSuspect { self.pool.answered(self) }
    }

    /// Records that a request was sent, but no valid response was received.
    ///
    /// `isSilent` indicates whether nothing was received before the timeout.
    func answerFailed(isSilent: Bool = false) {
        self.pool.answerFailed(self, isSilent: isSilent)
    }

    /// Whether no response has started for half of the response timeout, although many requests are waiting.
    ///
    /// Further requests are then sent to other addresses, before the first of the waiting requests times out.
    fileprivate func isSilent(at now: NIODeadline) -> Bool {
        guard self.unanswered >= UpstreamBalancer.faultLimit else { return false }
        let patience = self.pool.timeouts.response.nanoseconds / 2
        return now - self.unansweredSince >= .nanoseconds(patience)
    }

    func remove(_ connection: UpstreamHTTP2Connection) {
        self.shared.remove(connection)
    }

    /// Serves waiting requests, because a connection has capacity again.
    func capacityFreed() {
        self.pool.serveWaiting(of: self)
    }

    /// Logs a connection problem for the operator.
    func report(_ reason: String) {
        self.pool.logFailure(reason, of: self, as: .lostBackend)
    }

    fileprivate func closeIdle() {
        for connection in self.idle.all { connection.close() }
        for connection in self.shared.connections { connection.retire() }
    }
}

/// Tracking the state of the addresses.
extension UpstreamPool {
    func connectFailed(_ member: Member, _ error: any Error) {
        let problem = HandshakeProblem(error, with: .backend)
        self.logFailure(problem?.description ?? ConnectProblem.words(error), of: member)
        self.failures[member.address.target, default: .init()].connections += 1
        guard let index = member.index else { return }
        self.note(self.balancer.connectFailed(index, at: .now()), of: member, at: index)
    }

    /// Logs why a request did not reach the backend, at most once per second.
    fileprivate func logFailure(
        _ reason: String,
        of member: Member?,
        as fault: LoggedFault = .unreachableBackend
    ) {
        // The metadata is created only for lines that are not suppressed.
        self.faultLog.report(fault, Self.metadata(reason, of: member))
    }

    private static func metadata(_ reason: String, of member: Member?) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["error": "\(reason)"]
        if let member { metadata["address"] = "\(member.address)" }
        return metadata
    }

    fileprivate func answered(_ member: Member) {
        guard let index = member.index else { return }
        if self.balancer.answered(index) == .hasRecovered {
            self.logger.info(
                "a backend address has recovered",
                metadata: ["address": "\(member.address)"]
            )
        }
        member.isSuspect = self.balancer.isSuspect(index)
    }

    fileprivate func answerFailed(_ member: Member, isSilent: Bool) {
        self.failures[member.address.target, default: .init()].answers += 1
        guard let index = member.index else { return }
        let action = self.balancer.answerFailed(index, isSilent: isSilent, at: .now())
        self.note(action, of: member, at: index)
    }

    private func fellSilent(_ member: Member) {
        guard let index = member.index else { return }
        // From now on, only new requests are counted.
        member.unanswered = 0
        self.note(self.balancer.fellSilent(index, at: .now()), of: member, at: index)
    }

    private func note(_ action: UpstreamBalancer.FailureAction, of member: Member, at index: Int) {
        member.isSuspect = self.balancer.isSuspect(index)
        guard case .eject(let time) = action else { return }
        self.logger.warning(
            "a backend address is temporarily excluded",
            metadata: [
                "address": "\(member.address)",
                "seconds": .stringConvertible(time.nanoseconds / 1_000_000_000),
            ]
        )
    }
}

extension UpstreamPool {
    /// Returns the state of the targets, as seen by this event loop.
    func statistics(of targets: [UpstreamTarget]) -> [BackendStatistics] {
        Set(targets).map { target in
            var backend = BackendStatistics(name: target.description)
            backend.failures = self.failures[target] ?? .init()
            for (index, member) in self.members.enumerated() where member.address.target == target {
                backend.addresses[member.address.description] = self.balancer.isLeftOut(index)
                backend.idleConnections += member.idle.count
                backend.sharedConnections += member.shared.connections.count
            }
            return backend
        }
    }
}

/// The reason why a connection to a backend failed, with a hint on what to check.
enum ConnectProblem {
    /// Returns the description of an error for the log.
    static func words(_ error: any Error) -> String {
        if case .connectTimeout(let time)? = error as? ChannelError {
            return "no response within \(Double(time.nanoseconds) / 1_000_000_000) s: check the "
                + "address, and whether a firewall blocks the gate"
        }
        guard let error = error as? IOError else { return "\(error)" }
        let hint: String? =
            switch error.errnoCode {
            case ECONNREFUSED: "nothing is listening: check the port, and that the backend is up"
            case ENOENT: "there is no such socket: check the path, and that the backend is up"
            case EACCES, EPERM: "the gate's user is not allowed to connect: check the permissions"
            case EHOSTUNREACH, ENETUNREACH: "no route to the address from this machine"
            default: nil
            }
        guard let hint else { return "\(error)" }
        let name = unsafe String(cString: strerror(error.errnoCode))
        return "\(hint) (\(name))"
    }
}
