internal import GatePolicy

/// Reads `warnFrom`, `enforceFrom` and `until`: from when a rule warns and acts, and until when.
struct ScheduleDecoder {
    static let keys = ["warnFrom", "enforceFrom", "until"]

    let problems: Problems

    func decode(_ fields: Fields) -> RuleSchedule {
        let warnFrom = NamedTime("warnFrom", of: fields, self.problems)
        let enforceFrom = NamedTime("enforceFrom", of: fields, self.problems)
        let until = NamedTime("until", of: fields, self.problems)
        warnFrom?.check(isNotAfter: enforceFrom, self.problems)
        until?.check(isAfter: enforceFrom ?? warnFrom, self.problems)
        return RuleSchedule(
            warnFrom: warnFrom?.time,
            enforceFrom: enforceFrom?.time,
            until: until?.time
        )
    }
}
