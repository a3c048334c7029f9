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
        self.checkEnds(of: fields)
        return RuleSchedule(
            warnFrom: warnFrom?.time,
            enforceFrom: enforceFrom?.time,
            until: until?.time,
            brownouts: fields["brownouts"].map { brownouts.decode($0) } ?? []
        )
    }

    /// Reports brownouts if `warnFrom` or `enforceFrom` is missing: brownouts follow the warning
    /// and announce the enforcement, so they need both.
    private func checkEnds(of fields: Fields) {
        guard let place = fields.place(of: "brownouts"),
            let missing = ["warnFrom", "enforceFrom"].first(where: { fields[$0] == nil })
        else { return }
        let message =
            "'brownouts' needs '\(missing)': they are between 'warnFrom' and 'enforceFrom'"
        self.problems.report(message, at: place)
    }
}
