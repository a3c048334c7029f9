internal import GateRules
/// The value that a database stream describes, assembled from its events.
struct FirebaseDatabaseTree {
    enum Action: Equatable {
        case ignore
        /// The value is unchanged.
        case confirm
        case show(JSONValue)
        /// The credential has expired: reconnect with a new one.
        case renew
        /// The stream ended for a reason that reconnecting does not fix.
        case giveUp(String)
    }

    /// The maximum number of keep-alive events that may precede the value.
    private static let patience = 2

    private var value: JSONValue?
    private var idleEvents = 0

    /// Processes an event.
    ///
    /// - Throws: `FeedFailure` if the data of the event is invalid.
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
                throw .content("a patch event in the stream contains no object")
            }
            var value = self.value ?? .null
            for member in members {
                value.set(member.value, at: (path + Self.names(in: member.name))[...])
            }
            self.value = value
            return .show(value)
        case "keep-alive":
            guard self.value == nil else { return .confirm }
            // The value arrives as the first event, or after a few keep-alive events.
            self.idleEvents += 1
            return self.idleEvents <= Self.patience
                ? .ignore : .giveUp("the stream is open but sent no value")
        case "auth_revoked":
            return .renew
        case "cancel":
            return .giveUp("the database rules no longer permit reading")
        // Other events, such as `rules_debug`.
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
            throw .content("an event in the stream is \(error)")
        }
        guard let path = value["path"]?.text, let data = value["data"] else {
            throw .content("an event in the stream lacks 'path' or 'data'")
        }
        return (Self.names(in: path), data)
    }

    /// Splits a path; names cannot contain a slash.
    private static func names(in path: String) -> [String] {
        path.split(separator: "/").map(String.init)
    }
}
