internal import GatePolicy

extension Element {
    /// A point in time with its offset, with quotes or without.
    func time(_ problems: Problems) -> Timestamp? {
        let expected = "a time"
        guard case .date(let text) = self.content else {
            return self.parsed(as: expected, problems, by: Timestamp.init(parsing:))
        }
        // YAML knows dates, but readers disagree on what one without an offset means.
        return Element(content: .text(text), place: self.place)
            .parsed(as: expected, problems, by: Timestamp.init(parsing:))
    }
}
