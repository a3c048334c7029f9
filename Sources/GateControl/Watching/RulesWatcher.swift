package import GateRules
internal import GateSystem
package import Logging

/// Reports when the rules files may have changed, as an endless sequence of sightings.
///
/// A sighting identifies a state of the files without their contents. The first one is sent
/// immediately, so that changes between the first load and the start of the watcher are not missed.
/// After that, a sighting is sent for each new state of the file or folder, once the writer has
/// finished. It does not matter how the state was written: in place, by an editor's rename, by a
/// Kubernetes swap of `..data`, or by a deletion. Ending the iteration or canceling its task stops
/// the watcher and closes its descriptors.
package struct RulesWatcher: AsyncSequence, Sendable {
    /// The delays of the watcher.
    package struct Timing: Sendable {
        /// The time after a rename in which more renames may follow as part of the same change.
        package var debounce: Duration
        /// The maximum delay for a series of renames without a pause.
        package var longestDebounce: Duration
        /// How long a file that was written in place must remain unchanged after it was closed,
        /// because scripts close a file and append to it again.
        package var settling: Duration
        /// The maximum delay for a file that is closed and appended to without a pause.
        package var longestSettling: Duration
        /// How long a file that is never closed must remain unchanged before it is read.
        package var abandonment: Duration
        /// The time in which events are collected before they are read.
        package var gathering: Duration
        /// The polling interval, for file systems without events; a change found by polling only
        /// counts if the next poll finds the same state.
        package var pollInterval: Duration

        /// 100 ms and 1 s for renames, 500 ms and 10 s for writes in place, 10 s for files that are
        /// never closed, 10 ms to collect events, and a poll every 2 s.
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

    /// Creates a watcher for a file or a folder; it starts with the iteration.
    package init(path: String, timing: Timing = .defaults, logger: Logger) {
        self.path = path
        self.timing = timing
        self.logger = logger
    }

    /// Starts a watcher with a thread of its own.
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
            self.logger.error(
                "no thread is available: changes to the rules files are only read on SIGHUP"
            )
        }
        return stream.makeAsyncIterator()
    }
}
