internal import GatePolicy

/// Decodes `holdUntilInStore`: the store availability that a rule waits for.
struct HoldDecoder {
    static let keys = ["countries", "soak"]

    let problems: Problems

    func decode(_ element: Element) -> StoreHold? {
        if case .boolean("true") = element.content { return StoreHold() }
        guard case .mapping = element.content else {
            let expected = "true, or a mapping with 'countries' and 'soak'"
            return element.reject(expected: expected, self.problems)
        }
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        return StoreHold(
            countries: fields["countries"]
                .map { CountryDecoder(problems: self.problems).codes($0) } ?? [],
            soak: fields["soak"].flatMap { $0.timeSpan(self.problems) } ?? 0
        )
    }
}
