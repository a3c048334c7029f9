package import GateRules
internal import GateSystem
package import Logging

/// Reports when the rules files may have changed, as an endless sequence of sightings.
///
/// A sighting identifies a state of the files without their contents. The first sighting is sent
/// immediately, so that changes between the first load and the start of the watcher are not missed.
/// After that, a sighting is sent for each new state of the file or folder, once the writer has
/// finished. It does not matter whether the state results from a write in place, a rename by an
/// editor, a Kubernetes swap of `..data`, or a deletion. Ending the iteration or canceling its task
/// stops the watcher and closes its descriptors.
package struct RulesWatcher: AsyncSequence, Sendable {
    /// The delays of the watcher.
    package struct Timing: Sendable {
        /// The time after a rename during which more renames for the same change may follow.
        package var debounce = Duration.milliseconds(100)
        /// The maximum delay for a series of renames without a pause.
        package var longestDebounce = Duration.seconds(1)
        /// The time for which a file that was written in place must remain unchanged after it is
        /// closed, because scripts close a file and append to it again.
        package var settling = Duration.milliseconds(500)
        /// The maximum delay for a file that is repeatedly closed and appended to without a pause.
        package var longestSettling = Duration.seconds(10)
        /// The time for which a file that is never closed must remain unchanged before it is read.
        package var abandonment = Duration.seconds(10)
        /// The time for which events are collected before they are read.
        package var gathering = Duration.milliseconds(10)
        /// The polling interval, for file systems without events; a change found by polling is only
        /// reported if the next poll finds the same state.
        package var pollInterval = Duration.seconds(2)

        package static let defaults = Timing()
    }

    private let path: String
    private let timing: Timing
    private let logger: Logger

    /// Creates a watcher for a file or a folder; watching starts with the iteration.
    package init(path: String, timing: Timing = .defaults, logger: Logger) {
        self.path = path
        self.timing = timing
        self.logger = logger
    }

    /// Starts watching on a new thread.
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
                "no thread is available: changes to the rules files are read only on SIGHUP"
            )
        }
        return stream.makeAsyncIterator()
    }
}
