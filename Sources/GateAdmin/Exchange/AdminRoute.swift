internal import NIOHTTP1

/// What there is on the admin listener.
enum AdminRoute: Sendable, Equatable {
    /// `/feeds`: how the feeds are doing.
    case feeds
    /// `/-/reload`: reads the rules again.
    case reload
    /// `/hooks/NAME`: the webhook of a feed.
    case hook(feed: String)

    private static let hooks = "/hooks/"

    /// Finds what a request is for, whatever its query says; `nil` if there is nothing.
    init?(_ target: String) {
        let path = target.prefix { $0 != "?" }
        if path == "/feeds" {
            self = .feeds
        } else if path == "/-/reload" {
            self = .reload
        } else if path.hasPrefix(Self.hooks), path.count > Self.hooks.count {
            self = .hook(feed: String(path.dropFirst(Self.hooks.count)))
        } else {
            return nil
        }
    }

    /// Where the webhook of a feed is.
    static func path(ofHook feed: String) -> String { self.hooks + feed }

    /// Whether it tells something; a webhook is only taken, proves itself by its signature, and may
    /// come by whatever name its source knows.
    var isForOperators: Bool {
        switch self {
        case .feeds, .reload: true
        case .hook: false
        }
    }

    var methods: [HTTPMethod] {
        switch self {
        case .feeds: [.GET, .HEAD]
        case .hook, .reload: [.POST]
        }
    }
}
