package import GateRules
internal import GateSystem
package import Logging

/// Says when the rules on disk may have changed, as an endless sequence of what was seen, without
/// its text.
///
/// The first element comes of itself, so that nothing that changed between the first load and the
/// start of the watch is missed. After it there is one element for every state of the file or
/// folder that differs from the last, whichever way it came about: a write in place, an editor's
/// rename, a Kubernetes swap of `..data`, a deletion. It comes when the writer is done. Ending the
/// iteration or cancelling its task ends the watch and closes its descriptors.
package struct RulesWatcher: AsyncSequence, Sendable {
    /// How long the watch waits for what.
    package struct Timing: Sendable {
        /// How long after a rename the next one may follow that belongs to it.
        package var debounce: Duration
        /// After how long renames without a pause are looked at all the same.
        package var longestDebounce: Duration
        /// How long a file that was written in place must be quiet after it was closed, because
        /// scripts close it and append again.
        package var settling: Duration
        /// After how long a file that is closed and appended to without a pause is looked at all
        /// the same.
        package var longestSettling: Duration
        /// After how long without a change a file counts that is never closed.
        package var abandonment: Duration
        /// How long notices are gathered before they are read.
        package var gathering: Duration
        /// How often to look without a notice, for file systems that send none; what is found so
        /// counts if it is the same the next time.
        package var pollInterval: Duration

        /// 100 ms and 1 s for renames, 500 ms and 10 s for writers in place, 10 s for those that
        /// never close, 10 ms to gather, and a poll every 2 s.
        package static let defaults = Timing(
            debounce: .milliseconds(100),
            longestDebounce: .seconds(1),
            settling: .milliseconds(500),
            longestSettling: .seconds(10),
            abandonment: .seconds(10),
            gathering: .milliseconds(10),
            pollInterval: .seconds(2)
        )
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
    package func makeAsyncIterator() -> AsyncStream<RulesSighting>.Iterator {
        let (stream, continuation) = AsyncStream.makeStream(
            of: RulesSighting.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let stop = StopSignal()
        let loop = WatchLoop(path: self.path, timing: self.timing, stop: stop, logger: self.logger)
        continuation.onTermination = { _ in stop.send() }
        let isStarted = DetachedThread.start("rules-watcher") {
            loop.run { continuation.yield($0) }
        }
        if !isStarted {
            self.logger.error("no thread is left: changes of the rules file are not seen by itself")
        }
        return stream.makeAsyncIterator()
    }
}
