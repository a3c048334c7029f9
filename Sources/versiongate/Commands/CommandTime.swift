import ArgumentParser
import GatePolicy

/// A time in a flag.
enum CommandTime {
    /// Reads a time; `nil` if the flag was not given.
    static func parse(_ text: String?, flag: String) throws -> Timestamp? {
        guard let text else { return nil }
        do throws(TimestampError) {
            return try Timestamp(parsing: text)
        } catch {
            StandardError.write("\(flag) '\(text)': \(error)")
            throw ExitCode.failure
        }
    }
}
