internal import GateSystem
private import Glibc

/// The location of a secret; the rules file never contains the secret itself.
package enum Secret: Sendable, Equatable {
    case environment(String)
    case file(String)

    private static let maximumSize = 64 << 10

    /// Reads the current secret, without surrounding whitespace.
    ///
    /// - Throws: An error with the location, but not the content, of the secret.
    package func read() throws(FeedFailure) -> String {
        let text: String
        switch self {
        case .environment(let name):
            guard let value = unsafe getenv(name) else {
                throw .secret("the environment variable \(name) is not set")
            }
            text = unsafe String(cString: value)
        case .file(let path):
            do throws(FileContent.Failure) {
                let bytes = try FileContent(path: path, atMost: Self.maximumSize).bytes
                text = String(decoding: bytes, as: UTF8.self)
            } catch {
                throw .secret("the secret in \(path): \(error)")
            }
        }
        let secret = text.drop { $0.isWhitespace }
        let end = secret.lastIndex { !$0.isWhitespace }
        guard let end else { throw .secret("the secret in \(self) is empty") }
        return String(secret[...end])
    }
}

extension Secret: CustomStringConvertible {
    package var description: String {
        switch self {
        case .environment(let name): "the environment variable \(name)"
        case .file(let path): path
        }
    }
}
