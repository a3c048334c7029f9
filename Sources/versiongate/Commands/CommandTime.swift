import ArgumentParser
import GatePolicy
import GateRules

/// Parses times given as options.
enum CommandTime {
    /// Parses a time; returns `nil` if the option was not given.
    static func parse(_ text: String?, flag: String) throws -> Timestamp? {
        guard let text else { return nil }
        do throws(TimestampError) {
            return try Timestamp(parsing: text)
        } catch {
            try StandardError.fail("\(flag) '\(text)': \(error)")
        }
    }

    /// Returns the end of a lifetime such as `48h`, which is at most 30 days.
    static func end(
        ofLifetime text: String,
        from now: Timestamp,
        flag: String
    ) throws -> Timestamp {
        let seconds = try self.before(now, text, flag: flag).seconds(until: now)
        guard 1...Pass.longestLifetime ~= seconds else {
            try StandardError.fail("\(flag) '\(text)': expected a time from 1s to 30d")
        }
        return now.advanced(by: seconds)
    }

    /// Returns `now` minus a span such as `24h`.
    static func before(_ now: Timestamp, _ text: String, flag: String) throws -> Timestamp {
        do {
            return now.advanced(by: -(try TimeSpan(parsing: text).seconds))
        } catch {
            try StandardError.fail("\(flag) '\(text)': \(error)")
        }
    }
}
