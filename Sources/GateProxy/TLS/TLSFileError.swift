/// Why a file of a TLS listener cannot be used.
package struct TLSFileError: Error, Equatable, CustomStringConvertible {
    package let file: String
    package let reason: String

    package init(file: String, reason: String) {
        self.file = file
        self.reason = reason
    }

    package var description: String { "\(self.file): \(self.reason)" }
}
