internal import GatePolicy

/// Decodes `rollout`: the share of clients that a rule applies to over time.
struct RolloutDecoder {
    static let keys = ["at", "percent"]
    private static let share = "a percentage from 0 to 100"

    let problems: Problems

    /// Decodes a single share, which applies immediately, or steps that never decrease.
    func decode(_ element: Element) -> [RolloutStep] {
        guard case .list = element.content else {
            let share = self.percent(element, "\(Self.share) or a list of steps")
            return share.map { [RolloutStep(at: nil, percent: $0)] } ?? []
        }
        var steps: [RolloutStep] = []
        for item in element.oneOrMore(self.problems) {
            guard let step = self.step(item, after: steps.last) else { continue }
            steps.append(step)
        }
        return steps
    }

    private func step(_ element: Element, after last: RolloutStep?) -> RolloutStep? {
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        let at = fields.required("at", of: "a rollout step")
        let percent = fields.required("percent", of: "a rollout step")
        let time = at?.time(self.problems)
        let share = percent.flatMap { self.percent($0, Self.share) }
        if let at, let time, let before = last?.at, time <= before {
            let message = "the step at \(time) is not after the previous step, at \(before)"
            self.problems.report(message, at: at.place)
        }
        if let percent, let share, let before = last?.percent, share < before {
            // A client that was denied must not be allowed again.
            let order = "\(Self.number(share))% after \(Self.number(before))%"
            let message = "a rollout cannot decrease: \(order)"
            self.problems.report(message, at: percent.place)
        }
        guard let time, let share else { return nil }
        return RolloutStep(at: time, percent: share)
    }

    private func percent(_ element: Element, _ expected: String) -> Double? {
        var hint = ""
        switch element.content {
        case .number(let text):
            if let percent = Double(text), (0...100).contains(percent) { return percent }
        case .text(let text):
            let isNumber = Double(text.filter { $0 != "%" && $0 != " " }) != nil
            hint = isNumber ? "; write the number alone, without quotes" : ""
        case .boolean, .date, .nothing, .list, .mapping:
            break
        }
        return element.reject(expected: expected, self.problems, hint: hint)
    }

    static func number(_ percent: Double) -> String {
        Int(exactly: percent).map { "\($0)" } ?? "\(percent)"
    }
}
