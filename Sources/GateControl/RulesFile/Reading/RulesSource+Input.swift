import Glibc

extension RulesSource {
    /// Reads standard input to its end, under the name that messages shall show.
    static func standardInput(as name: String) throws(RulesFileErrors) -> RulesSource {
        do throws(FileContent.Failure) {
            let bytes = try FileContent.bytes(of: STDIN_FILENO, atMost: Self.maximumSize)
            return RulesSource(name: name, bytes: bytes)
        } catch {
            throw RulesFileErrors(RulesFileError(file: name, message: "\(error)"))
        }
    }
}
