import ArgumentParser
import GatePolicy
import GateRules

/// The parser for values of options.
enum CommandOption {
    /// Returns the parsed value of an option; if it is invalid, prints an error and exits.
    static func parse<Value>(
        _ text: String,
        flag: String,
        _ parse: (String) throws -> Value
    ) throws -> Value {
        do {
            return try parse(text)
        } catch {
            try StandardError.fail("\(flag) '\(text)': \(error)")
        }
    }
}

/// The parser for times and durations in options.
enum CommandTime {
    /// Returns the parsed time; `nil` if the option was not given.
    static func parse(_ text: String?, flag: String) throws -> Timestamp? {
        try text.map { try CommandOption.parse($0, flag: flag, Timestamp.init(parsing:)) }
    }

    /// Returns the end of a lifetime such as `48h` that starts at `now`.
    ///
    /// If the lifetime is shorter than 1 second or longer than 30 days, prints an error and exits.
    static func end(
        ofLifetime text: String,
        from now: Timestamp,
        flag: String
    ) throws -> Timestamp {
        let seconds = try self.before(now, text, flag: flag).seconds(until: now)
        guard 1...Pass.longestLifetime ~= seconds else {
            try StandardError.fail("\(flag) '\(text)': expected a duration from 1s to 30d")
        }
        return now.advanced(by: seconds)
    }

    /// Returns `now` minus a span such as `24h`.
    static func before(_ now: Timestamp, _ text: String, flag: String) throws -> Timestamp {
        let span = try CommandOption.parse(text, flag: flag, TimeSpan.init(parsing:))
        return now.advanced(by: -span.seconds)
    }
}
