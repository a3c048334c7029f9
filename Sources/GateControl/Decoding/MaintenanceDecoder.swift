internal import GatePolicy

/// Reads `maintenance`: the window in which nobody is served.
struct MaintenanceDecoder {
    static let keys = ["from", "until", "announceFrom"]

    let problems: Problems

    func decode(_ element: Element) -> MaintenanceWindow? {
        guard let fields = Fields(element, keys: Self.keys, problems: self.problems) else {
            return nil
        }
        for key in ["from", "until"] { _ = fields.required(key, of: "a maintenance window") }
        let from = NamedTime("from", of: fields, self.problems)
        let until = NamedTime("until", of: fields, self.problems)
        let announceFrom = NamedTime("announceFrom", of: fields, self.problems)
        until?.check(isAfter: from, self.problems)
        announceFrom?.check(isNotAfter: from, self.problems)
        guard let from, let until else { return nil }
        return MaintenanceWindow(
            from: from.time,
            until: until.time,
            announceFrom: announceFrom?.time
        )
    }
}
