internal import GatePolicy

/// Decodes `warnFrom`, `brownouts`, `enforceFrom` and `until`: the schedule of a rule.
struct ScheduleDecoder {
    static let keys = ["warnFrom", "enforceFrom", "until", "brownouts"]

    let problems: Problems

    func decode(_ fields: Fields) -> RuleSchedule {
        let warnFrom = NamedTime("warnFrom", of: fields, self.problems)
        let enforceFrom = NamedTime("enforceFrom", of: fields, self.problems)
        let until = NamedTime("until", of: fields, self.problems)
        warnFrom?.check(isNotAfter: enforceFrom, self.problems)
        until?.check(isAfter: enforceFrom ?? warnFrom, self.problems)
        let brownouts = BrownoutDecoder(
            warnFrom: warnFrom,
            enforceFrom: enforceFrom,
            problems: self.problems
        )
        // Brownouts occur after the warning and before the enforcement, so they need both times.
        if fields["brownouts"] != nil,
            let missing = ["warnFrom", "enforceFrom"].first(where: { fields[$0] == nil })
        {
            let reason = "brownouts are between 'warnFrom' and 'enforceFrom'"
            fields.refuse("brownouts", "needs '\(missing)': \(reason)")
        }
        return RuleSchedule(
            warnFrom: warnFrom?.time,
            enforceFrom: enforceFrom?.time,
            until: until?.time,
            brownouts: fields["brownouts"].map { brownouts.decode($0) } ?? []
        )
    }
}

/// A time and its key, for checking the order of times.
struct NamedTime {
    let key: String
    let time: Timestamp
    let place: Place

    /// Decodes the time of a key; returns `nil` if the key is missing or its time is invalid.
    init?(_ key: String, of fields: Fields, _ problems: Problems) {
        guard let element = fields[key], let time = element.time(problems) else { return nil }
        self.key = key
        self.time = time
        self.place = element.place
    }

    func check(isNotAfter other: NamedTime?, _ problems: Problems) {
        guard let other, self.time > other.time else { return }
        problems.report("\(self) is after \(other)", at: self.place)
    }

    func check(isBefore other: NamedTime?, _ problems: Problems) {
        guard let other, self.time >= other.time else { return }
        problems.report("\(self) is not before \(other)", at: self.place)
    }

    func check(isNotBefore other: NamedTime?, _ problems: Problems) {
        guard let other, self.time < other.time else { return }
        problems.report("\(self) is before \(other)", at: self.place)
    }

    func check(isAfter other: NamedTime?, _ problems: Problems) {
        guard let other, self.time <= other.time else { return }
        problems.report("\(self) is not after \(other)", at: self.place)
    }
}

extension NamedTime: CustomStringConvertible {
    var description: String { "'\(self.key)' (\(self.time))" }
}
