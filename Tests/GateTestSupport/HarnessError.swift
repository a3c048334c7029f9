/// The reason why a test could not continue, for the reader of a failed run.
package struct HarnessError: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }

    /// An event that did not happen in time.
    package static func timedOut(_ awaited: String) -> HarnessError {
        HarnessError("timed out: \(awaited)")
    }
}
