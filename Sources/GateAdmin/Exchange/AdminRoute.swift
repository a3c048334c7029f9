internal import NIOHTTP1

/// The endpoints of the admin listener, described in `docs/admin/openapi.json`.
enum AdminRoute: Sendable, Equatable {
    case page(PageFile)
    case feeds
    case metrics
    case healthy
    case ready
    case reload
    case document
    case rules
    case findings
    case census
    case traffic
    case overview
    case adoption
    case denials
    case impact
    case floorAdvice
    case sunset
    case routeSunset
    case strayBuilds
    case explain
    case timeline
    case audit
    case undo
    case events
    case breaker
    case resetBreaker
    /// The webhook of a feed.
    case hook(feed: String)

    private static let hooks = "/hooks/"

    /// All endpoints except webhooks, by path.
    static let places = Self.answers.merging(
        PageFile.allCases.map { ($0.path, .page($0)) },
        uniquingKeysWith: { first, _ in first }
    )

    private static let answers: [String: AdminRoute] = [
        "/feeds": .feeds,
        "/metrics": .metrics,
        "/-/healthy": .healthy,
        "/-/ready": .ready,
        "/-/reload": .reload,
        "/-/breaker": .breaker,
        "/-/breaker/reset": .resetBreaker,
        "/api/v1/openapi.json": .document,
        "/api/v1/rules": .rules,
        "/api/v1/findings": .findings,
        "/api/v1/feeds": .feeds,
        "/api/v1/breaker": .breaker,
        "/api/v1/census": .census,
        "/api/v1/traffic": .traffic,
        "/api/v1/overview": .overview,
        "/api/v1/adoption": .adoption,
        "/api/v1/denials": .denials,
        "/api/v1/impact": .impact,
        "/api/v1/advice/floor": .floorAdvice,
        "/api/v1/advice/sunset": .sunset,
        "/api/v1/advice/route": .routeSunset,
        "/api/v1/advice/builds": .strayBuilds,
        "/api/v1/explain": .explain,
        "/api/v1/timeline": .timeline,
        "/api/v1/audit": .audit,
        "/api/v1/undo": .undo,
        "/api/v1/events": .events,
    ]

    /// Returns the endpoint for a request target, ignoring the query; `nil` if there is none.
    init?(_ target: String) {
        let path = target.prefix { $0 != "?" }
        if let route = Self.places[String(path)] {
            self = route
        } else if path.hasPrefix(Self.hooks), path.count > Self.hooks.count {
            self = .hook(feed: String(path.dropFirst(Self.hooks.count)))
        } else {
            return nil
        }
    }

    /// Returns the path of the webhook for a feed.
    static func path(ofHook feed: String) -> String { self.hooks + feed }

    /// Whether only operators can use the endpoint, with an allowed `Host` and, if tokens are configured, a token.
    ///
    /// Webhooks are authenticated by their signature, and can use any host name. The response to a probe is only a
    /// status.
    var isForOperators: Bool { self.audience != .open }

    /// The audience of the endpoint.
    var audience: AdminAudience {
        switch self {
        case .hook, .healthy, .ready: .open
        // `versiongate undo` and the page request a preview before each undo, so it belongs to the same audience.
        case .reload, .resetBreaker, .undo: .changes
        case .page, .feeds, .metrics, .breaker, .document, .rules, .findings, .census, .traffic,
            .overview, .adoption, .denials, .impact, .explain, .timeline, .audit, .events,
            .floorAdvice, .sunset,
            .routeSunset, .strayBuilds:
            .questions
        }
    }

    var isPage: Bool {
        if case .page = self { true } else { false }
    }

    var methods: [HTTPMethod] {
        switch self {
        case .hook, .reload, .resetBreaker, .impact: [.POST]
        case .explain, .undo: [.GET, .HEAD, .POST]
        case .events: [.GET]
        case .page, .feeds, .metrics, .breaker, .healthy, .ready, .document, .rules, .findings,
            .census, .traffic, .overview, .adoption, .denials, .timeline, .audit, .floorAdvice,
            .sunset, .routeSunset, .strayBuilds:
            [.GET, .HEAD]
        }
    }
}
