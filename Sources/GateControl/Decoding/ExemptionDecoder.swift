internal import GatePolicy

/// Reads `exempt`: requests that are never judged.
struct ExemptionDecoder {
    let problems: Problems

    func decode(_ element: Element) -> [RequestPattern] {
        (element.list(self.problems) ?? []).flatMap { self.exemption($0) }
    }

    private func exemption(_ element: Element) -> [RequestPattern] {
        let requests = RequestDecoder(problems: self.problems)
        guard case .mapping = element.content else {
            return [requests.pattern(element)].compactMap(\.self)
        }
        let fields = Fields(element, keys: ["path", "method"], problems: self.problems)
        guard let fields else { return [] }
        if let patterns = requests.decode(fields) { return patterns }
        self.problems.report("an exemption needs 'path' or 'method'", at: element.place)
        return []
    }
}
