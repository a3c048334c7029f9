internal import GateRules

/// The current value of a database stream, assembled from its events.
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
        case "put", "patch":
            let (path, data) = try Self.change(in: event)
            var value = self.value ?? .null
            if event.name == "put" {
                value.set(data, at: path[...])
            } else if case .object(let members) = data {
                for member in members {
                    value.set(member.value, at: (path + Self.names(in: member.name))[...])
                }
            } else {
                throw .content("a patch event in the stream contains no object")
            }
            self.value = value
            return .show(value)
        case "keep-alive":
            guard self.value == nil else { return .confirm }
            // The value arrives as the first event, or after a few keep-alive events.
            self.idleEvents += 1
            return self.idleEvents <= Self.patience
                ? .ignore : .giveUp("the stream is open but has sent no value")
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

    /// Splits a path into its names, which cannot contain slashes.
    private static func names(in path: String) -> [String] {
        path.split(separator: "/").map(String.init)
    }
}

/// Updates parts of a value, and removes empty values, as Firebase's Realtime Database does.
extension JSONValue {
    /// Sets the value at a path; `null` removes it.
    ///
    /// A scalar on the path is replaced by an object; a list is converted to an object with its
    /// indices as names.
    mutating func set(_ value: JSONValue, at path: ArraySlice<String>) {
        guard let name = path.first else {
            self = value.withoutEmpty
            return
        }
        var members = self.members
        var child = members.first { $0.name == name }?.value ?? .null
        child.set(value, at: path.dropFirst())
        members.removeAll { $0.name == name }
        if child != .null { members.append(Member(name, child)) }
        self = members.isEmpty ? .null : .object(members)
    }

    /// The members of an object, or of a list with its indices as names; empty for other values.
    private var members: [Member] {
        switch self {
        case .object(let members): members
        case .list(let items):
            items.enumerated().map { Member("\($0)", $1) }.filter { $0.value != .null }
        case .null, .boolean, .number, .text: []
        }
    }

    /// The value without empty objects and lists, which the database does not store.
    private var withoutEmpty: JSONValue {
        switch self {
        case .null, .boolean, .number, .text: return self
        case .list(let items):
            return items.isEmpty ? .null : .list(items.map(\.withoutEmpty))
        case .object(let members):
            let kept = members.map { Member($0.name, $0.value.withoutEmpty) }
                .filter { $0.value != .null }
            return kept.isEmpty ? .null : .object(kept)
        }
    }
}
