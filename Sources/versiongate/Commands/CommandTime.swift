import ArgumentParser
import GatePolicy
import GateRules

/// Parses times given as flags.
enum CommandTime {
    /// Parses a time; returns `nil` if the flag was not given.
    static func parse(_ text: String?, flag: String) throws -> Timestamp? {
        guard let text else { return nil }
        do throws(TimestampError) {
            return try Timestamp(parsing: text)
        } catch {
            StandardError.write("\(flag) '\(text)': \(error)")
            throw ExitCode.failure
        }
    }

    /// Returns the time that lies a span such as `24h` before `now`.
    static func before(_ now: Timestamp, _ text: String, flag: String) throws -> Timestamp {
        do {
            return now.advanced(by: -(try TimeSpan(parsing: text).seconds))
        } catch {
            StandardError.write("\(flag) '\(text)': \(error)")
            throw ExitCode.failure
        }
    }
}
