import Logging
import NIOCore
import NIOPosix

/// Periodic DNS lookups of the backends' host names.
///
/// One event loop schedules the lookups, which run on separate threads because they block.
final class UpstreamNames {
    /// The interval between two lookups while a name has no address.
    static let impatientRefresh = TimeAmount.seconds(1)

    private let eventLoop: any EventLoop
    private let refresh: TimeAmount
    private let lookup: AddressLookup.Function
    private let threads: NIOThreadPool
    private let logger: Logger
    private let publish: ([UpstreamAddress]) -> Void
    private var directory: UpstreamDirectory
    private var next: Scheduled<Void>?
    private var isStopped = false

    /// All known addresses.
    var addresses: [UpstreamAddress] { self.directory.addresses }

    /// Creates the lookups without starting them.
    ///
    /// `publish` is called on the event loop when the addresses have changed.
    init(
        eventLoop: any EventLoop,
        settings: UpstreamSettings,
        lookup: @escaping AddressLookup.Function,
        logger: Logger,
        publish: @escaping ([UpstreamAddress]) -> Void
    ) {
        self.eventLoop = eventLoop
        self.refresh = settings.refresh
        self.lookup = lookup
        self.logger = logger
        self.publish = publish
        self.directory = UpstreamDirectory(settings.allTargets)
        self.threads = NIOThreadPool(numberOfThreads: Swift.min(4, self.directory.names.count))
    }

    /// Starts the lookups, and waits until the first results are available or `time` has passed.
    ///
    /// Returns `nil` if there are no names. `publish` is called on the event loop when the
    /// addresses have changed.
    static func start(
        _ settings: UpstreamSettings,
        on eventLoop: any EventLoop,
        lookup: @escaping AddressLookup.Function,
        atMost time: TimeAmount,
        logger: Logger,
        publish: @escaping @Sendable ([UpstreamAddress]) -> Void
    ) async throws -> NIOLoopBound<UpstreamNames>? {
        guard !UpstreamDirectory(settings.allTargets).names.isEmpty else { return nil }
        let names = try await eventLoop.submit {
            let names = UpstreamNames(
                eventLoop: eventLoop,
                settings: settings,
                lookup: lookup,
                logger: logger,
                publish: publish
            )
            return NIOLoopBound(names, eventLoop: eventLoop)
        }.get()
        _ = try await eventLoop.flatSubmit {
            names.value.start().completes(within: time)
        }.get()
        return names
    }

    /// Starts the lookups; the future succeeds once each name has been looked up, whatever the results.
    func start() -> EventLoopFuture<Void> {
        self.threads.start()
        return self.lookAll()
    }

    /// Stops without waiting for lookups in progress.
    func stop() {
        self.isStopped = true
        self.next?.cancel()
        self.threads.shutdownGracefully { _ in }
    }

    private func lookAll() -> EventLoopFuture<Void> {
        let names = NIOLoopBound(self, eventLoop: self.eventLoop)
        let all = self.directory.names.map { name in
            self.threads.runIfActive(eventLoop: self.eventLoop) { [lookup] in lookup(name) }
                .map { names.value.lookedUp(name, $0) }
        }
        return EventLoopFuture.andAllComplete(all, on: self.eventLoop).map {
            names.value.scheduleNext()
        }
    }

    private func scheduleNext() {
        guard !self.isStopped else { return }
        let pause =
            self.directory.isIncomplete
            ? Swift.min(self.refresh, Self.impatientRefresh) : self.refresh
        let names = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.next = self.eventLoop.scheduleTask(in: pause) { _ = names.value.lookAll() }
    }

    private func lookedUp(_ name: Endpoint, _ result: Result<[SocketAddress], LookupFailure>) {
        guard !self.isStopped else { return }
        switch self.directory.lookedUp(name, result) {
        case .publish:
            let addresses = self.directory.addresses
            self.logger.info(
                "resolved the addresses of the backend",
                metadata: [
                    "name": "\(name)",
                    "addresses": "\(addresses.map(\.description).joined(separator: ", "))",
                ]
            )
            self.publish(addresses)
        case .report(let failure, let hasAddresses):
            self.logger.warning(
                hasAddresses
                    ? "cannot look up the backend; keeping its last known addresses"
                    : "cannot look up the backend",
                metadata: ["name": "\(name)", "error": "\(failure)"]
            )
        case .doNothing:
            break
        }
    }
}

@available(*, unavailable)
extension UpstreamNames: Sendable {}
