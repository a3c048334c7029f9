internal import GateCensus
internal import GatePolicy

/// The parameters of a query for advice on changes that affect few clients.
package struct AdviceQuestion: Sendable, Equatable {
    /// `nil` for all apps or platforms.
    package let app: String?
    package let platform: String?
    /// The maximum share of clients that may be affected, from 0 to 1.
    package let limit: Double
    /// The period in days; clients seen during it are counted.
    package let days: Int64

    package init(app: String?, platform: String?, limit: Double, days: Int64) {
        self.app = app
        self.platform = platform.map { Platform($0).name }
        self.limit = limit
        self.days = days
    }

    /// Returns the start of the period.
    func start(before now: Timestamp) -> Timestamp { now.advanced(by: -self.days * 86_400) }

    /// Returns the start of the history from which a forecast is computed.
    func historyStart(before now: Timestamp) -> Timestamp {
        let days = self.days + FloorAdvice.history
        return Timestamp(secondsSinceEpoch: (now.day - days) * 86_400)
    }

    /// Whether the advice is wanted for an app and platform.
    func includes(_ audience: FloorAdvice.Audience) -> Bool {
        self.app.map { $0 == audience.app } ?? true
            && self.platform.map { $0 == audience.platform } ?? true
    }
}
