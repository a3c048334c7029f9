/// How a feed is doing, for the log, the status page and the metrics.
package struct FeedStatus: Sendable, Equatable {
    package let id: String
    /// What and where it is, without secrets.
    package let source: String
    /// Names what it contributes; `nil` if nothing was ever taken.
    package internal(set) var revision: String?
    /// When it last said something good, seconds since 1970, changed or not.
    package internal(set) var confirmedAt: Int64?
    /// When what it contributes last changed, seconds since 1970.
    package internal(set) var changedAt: Int64?
    /// Why there is no newer good answer; `nil` if the last one was good.
    package internal(set) var lastError: String?
    /// How many questions have failed in a row.
    package internal(set) var failures = 0
    /// Whether it has been silent for longer than the rules file allows.
    package internal(set) var isStale = false

    init(id: String, source: String) {
        self.id = id
        self.source = source
    }
}
