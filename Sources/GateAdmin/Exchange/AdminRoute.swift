internal import NIOHTTP1

/// The endpoints of the admin listener.
enum AdminRoute: Sendable, Equatable {
    /// `/feeds`: how the feeds are doing.
    case feeds
    /// `/metrics`: what is counted, for Prometheus.
    case metrics
    /// `/-/healthy`: whether the event loops have their turn.
    case healthy
    /// `/-/ready`: whether clients are to come.
    case ready
    /// `/-/reload`: reads the rules again.
    case reload
    /// `/-/breaker`: what the breaker has tripped, and watches.
    case breaker
    /// `/-/breaker/reset`: has the rules enforce again that have tripped.
    case resetBreaker
    /// `/api/v1/census?since=24h`: which clients there were, as far back as the text says.
    case census(since: String)
    /// `/hooks/NAME`: the webhook of a feed.
    case hook(feed: String)

    private static let hooks = "/hooks/"
    private static let usualSpan = "24h"

    /// Finds what a request is for, whatever its query says; `nil` if there is nothing.
    init?(_ target: String) {
        let path = target.prefix { $0 != "?" }
        switch path {
        case "/feeds": self = .feeds
        case "/metrics": self = .metrics
        case "/-/healthy": self = .healthy
        case "/-/ready": self = .ready
        case "/-/reload": self = .reload
        case "/-/breaker": self = .breaker
        case "/-/breaker/reset": self = .resetBreaker
        case "/api/v1/census":
            let query = target.dropFirst(path.count + 1).split(separator: "&")
            let since = query.first { $0.hasPrefix("since=") }?.dropFirst("since=".count)
            self = .census(since: since.map(String.init) ?? Self.usualSpan)
        case _ where path.hasPrefix(Self.hooks) && path.count > Self.hooks.count:
            self = .hook(feed: String(path.dropFirst(Self.hooks.count)))
        default: return nil
        }
    }

    /// The path of the webhook of a feed.
    static func path(ofHook feed: String) -> String { self.hooks + feed }

    /// Whether it is for operators alone, who ask by the right name and, from afar, with the token.
    ///
    /// A webhook is only taken, proves itself by its signature, and may come by whatever name its source
    /// knows; a prober learns a status and nothing else.
    var isForOperators: Bool {
        switch self {
        case .feeds, .metrics, .census, .reload, .breaker, .resetBreaker: true
        case .hook, .healthy, .ready: false
        }
    }

    var methods: [HTTPMethod] {
        switch self {
        case .feeds, .metrics, .census, .breaker, .healthy, .ready: [.GET, .HEAD]
        case .hook, .reload, .resetBreaker: [.POST]
        }
    }
}
