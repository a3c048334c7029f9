internal import GateRules

/// The app and the platform that lists of App Store Connect are asked for.
///
/// The lists are filtered by both. What comes all the same of another one does not count.
struct ConnectScope {
    /// The number of the app.
    let app: String
    /// The word of the API for the platform.
    let platform: String
    /// What came besides, in the order of its coming.
    private(set) var others: [String] = []

    init(app: String, platform: String) {
        self.app = app
        self.platform = platform
    }

    /// Checks what a resource is about, and remembers what is not the app or the platform.
    ///
    /// - Parameters:
    ///   - resource: A build or a version.
    ///   - platform: The platform that is stated of it; `nil` if none is.
    /// - Returns: Whether nothing says that it is about something else.
    mutating func accepts(_ resource: JSONValue, for platform: String?) -> Bool {
        let app = resource[path: "relationships.app.data.id"]?.text
        let other: String? =
            if let app, app != self.app { "the app \(app)" } else {
                platform.flatMap { $0 == self.platform ? nil : $0 }
            }
        guard let other else { return true }
        if !self.others.contains(other) { self.others.append(other) }
        return false
    }

    /// What came besides and does not count, in words; `nil` if nothing did.
    var note: String? {
        guard !self.others.isEmpty else { return nil }
        return "asked for the app \(self.app) for \(self.platform), App Store Connect also answers "
            + "with builds or versions of \(self.others.joined(separator: ", ")), which do not count"
    }
}
