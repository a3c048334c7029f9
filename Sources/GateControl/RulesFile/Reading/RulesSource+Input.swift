import Glibc

extension RulesSource {
    /// Reads standard input to its end, under the name that messages shall show.
    static func standardInput(as name: String) throws(RulesFileErrors) -> RulesSource {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe read(STDIN_FILENO, buffer.baseAddress, buffer.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                let message = "standard input cannot be read"
                throw RulesFileErrors(RulesFileError(file: name, message: message))
            }
            guard count > 0 else { return RulesSource(name: name, bytes: bytes) }
            bytes += chunk.prefix(count)
            guard bytes.count <= Self.maximumSize else {
                throw RulesFileErrors(.tooLarge(name))
            }
        }
    }
}
