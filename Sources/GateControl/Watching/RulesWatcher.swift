package import Logging
private import Foundation

/// Says when the rules on disk may have changed, as an endless sequence without content.
///
/// The first element comes at once, so that nothing that changed between the first load and the
/// start of the watch is missed. After it there is one element for every state of the file or
/// folder that differs from the last, whichever way it came about: a write in place, an editor's
/// rename, a Kubernetes swap of `..data`, a deletion. Ending the iteration or cancelling its task
/// ends the watch and closes its descriptors.
package struct RulesWatcher: AsyncSequence, Sendable {
    /// How long the watch waits for what.
    package struct Timing: Sendable {
        /// How long a folder must be quiet before its state counts: writers truncate first.
        package var debounce: Duration
        /// After how long a folder that is never quiet is looked at all the same.
        package var longestDebounce: Duration
        /// How often to look without a notice, for file systems that send none.
        package var pollInterval: Duration

        /// 100 ms, 1 s and 2 s.
        package static let defaults = Timing(
            debounce: .milliseconds(100),
            longestDebounce: .seconds(1),
            pollInterval: .seconds(2)
        )

        package init(debounce: Duration, longestDebounce: Duration, pollInterval: Duration) {
            self.debounce = debounce
            self.longestDebounce = longestDebounce
            self.pollInterval = pollInterval
        }
    }

    private let path: String
    private let timing: Timing
    private let logger: Logger

    /// Prepares to watch a file or a folder; the watch begins with the iteration.
    package init(path: String, timing: Timing = .defaults, logger: Logger) {
        self.path = path
        self.timing = timing
        self.logger = logger
    }

    /// Starts a watch of its own, with a thread of its own.
    package func makeAsyncIterator() -> AsyncStream<Void>.Iterator {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let stop = StopSignal()
        let loop = WatchLoop(path: self.path, timing: self.timing, stop: stop, logger: self.logger)
        continuation.onTermination = { _ in stop.send() }
        let thread = Thread { loop.run { continuation.yield() } }
        thread.name = "rules-watcher"
        thread.start()
        return stream.makeAsyncIterator()
    }
}
