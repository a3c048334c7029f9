/// Why a test could not go on; its words are what the reader of a failed run sees.
package struct HarnessError: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }

    /// Something did not happen in time.
    package static func timedOut(_ awaited: String) -> HarnessError {
        HarnessError("timed out: \(awaited)")
    }
}
