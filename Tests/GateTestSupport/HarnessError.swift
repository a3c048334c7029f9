/// The reason why a test could not continue, to be read after a failed run.
package struct HarnessError: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }

    /// Returns the error for an event that did not happen in time.
    package static func timedOut(_ awaited: String) -> HarnessError {
        HarnessError("timed out: \(awaited)")
    }
}
