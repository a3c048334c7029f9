/// The clients that get their updates from a store.
struct StoreKeys: Sendable, Equatable {
    let app: String?
    let platform: String
    let channel: String?

    /// The keys that identify the clients in a release fact.
    var members: [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        if let app { members.append(.init("app", .text(app))) }
        members.append(.init("platform", .text(self.platform)))
        if let channel { members.append(.init("channel", .text(channel))) }
        return members
    }
}
