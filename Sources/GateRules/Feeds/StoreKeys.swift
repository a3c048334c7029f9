/// The properties that identify the clients of a store.
package struct StoreKeys: Sendable, Equatable {
    package let app: String?
    package let platform: String
    package let channel: String?
    package init(app: String?, platform: String, channel: String?) {
        self.app = app
        self.platform = platform
        self.channel = channel
    }

    /// The members that identify these clients in an entry of `releases`.
    package var members: [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        if let app { members.append(.init("app", .text(app))) }
        members.append(.init("platform", .text(self.platform)))
        if let channel { members.append(.init("channel", .text(channel))) }
        return members
    }
}
