internal import GateRules

/// The value that a stream of the database talks about, put together from its events.
struct FirebaseDatabaseTree {
    enum Action: Equatable {
        case ignore
        /// The value still is what it was.
        case confirm
        case show(JSONValue)
        /// The credential has run out: connect again with a new one.
        case renew
        /// Nothing more will come, for a reason that connecting again does not mend.
        case giveUp(String)
    }

    /// How many signs of life may come before the value.
    private static let patience = 2

    private var value: JSONValue?
    private var idleEvents = 0

    /// Takes the next event.
    ///
    /// - Throws: `FeedFailure` if its data is not what the event needs.
    mutating func receive(_ event: EventStreamParser.Event) throws(FeedFailure) -> Action {
        switch event.name {
        case "put":
            let (path, data) = try Self.change(in: event)
            var value = self.value ?? .null
            value.set(data, at: path[...])
            self.value = value
            return .show(value)
        case "patch":
            let (path, data) = try Self.change(in: event)
            guard case .object(let members) = data else {
                throw .content("a patch of the stream has no object")
            }
            var value = self.value ?? .null
            for member in members {
                value.set(member.value, at: (path + Self.names(in: member.name))[...])
            }
            self.value = value
            return .show(value)
        case "keep-alive":
            guard self.value == nil else { return .confirm }
            // The value comes first of all, or next to first.
            self.idleEvents += 1
            return self.idleEvents <= Self.patience
                ? .ignore : .giveUp("the stream is open and says no value")
        case "auth_revoked":
            return .renew
        case "cancel":
            return .giveUp("the rules of the database no longer let us read")
        // Such as rules_debug.
        case _:
            return .ignore
        }
    }

    private static func change(
        in event: EventStreamParser.Event
    ) throws(FeedFailure) -> (path: [String], data: JSONValue) {
        let value: JSONValue
        do {
            value = try JSONParser.parse(Array(event.data.utf8))
        } catch {
            throw .content("an event of the stream is \(error)")
        }
        guard let path = value["path"]?.text, let data = value["data"] else {
            throw .content("an event of the stream has no 'path' and 'data'")
        }
        return (Self.names(in: path), data)
    }

    /// The names of a path; none of them can hold a slash.
    private static func names(in path: String) -> [String] {
        path.split(separator: "/").map(String.init)
    }
}
