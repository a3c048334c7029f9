internal import GatePolicy
package import GateSystem

/// The setting `breaker`: the conditions under which changed rules fall back to observe mode.
package struct BreakerSettings: Sendable, Equatable {
    private static let keys = ["limit", "watch", "webhook"]

    /// The share of clients, from 0 to 1, that may be denied beyond the prediction; `nil` disables
    /// the circuit breaker.
    package var limit: Double? = 0.2
    /// The number of seconds for which a change is monitored.
    package var watch: Int64 = 3_600
    /// The URL of the webhook to which trips are reported.
    package var webhook: FetchURL?

    static let standard = BreakerSettings()

    init() {}

    /// Decodes the settings; invalid values are reported and ignored.
    init(_ element: Element, _ feedKinds: FeedKinds, _ problems: Problems) {
        guard case .mapping = element.content else {
            self.limit = element.breakerLimit(problems)
            return
        }
        guard let fields = Fields(element, Self.keys, problems) else { return }
        if let limit = fields["limit"] { self.limit = limit.breakerLimit(problems) }
        if let watch = fields["watch"] {
            self.watch = watch.timeSpan(problems) ?? self.watch
            if !(60...604_800).contains(self.watch) {
                problems.report("expected 1m to 7d, found \(watch.found)", at: watch.place)
            }
        }
        self.webhook = fields["webhook"].flatMap { feedKinds.address?($0, problems) }
    }
}

extension Element {
    /// Decodes the limit; returns `nil` for `off`, and for an invalid value, which is reported.
    fileprivate func breakerLimit(_ problems: Problems) -> Double? {
        guard case .share(let limit)? = self.shareLimit("breaker: 20", problems) else {
            return nil
        }
        return limit
    }
}
