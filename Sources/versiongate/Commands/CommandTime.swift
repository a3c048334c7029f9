import ArgumentParser
import GatePolicy
import GateRules

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

    /// Reads how long before a second, such as `24h`.
    static func before(_ now: Timestamp, _ text: String, flag: String) throws -> Timestamp {
        do {
            return now.advanced(by: -(try TimeSpan(parsing: text).seconds))
        } catch {
            StandardError.write("\(flag) '\(text)': \(error)")
            throw ExitCode.failure
        }
    }
}
