internal import GatePolicy

/// A time and its key, for checks of the order of times.
struct NamedTime {
    let key: String
    let time: Timestamp
    let place: Place

    /// Decodes the time of a key; `nil` if the key is missing or its time is invalid.
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
