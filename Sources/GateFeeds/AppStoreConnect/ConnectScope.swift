internal import GateRules
/// The app and platform by which App Store Connect lists are filtered.
///
/// Resources of other apps and platforms in the lists are ignored.
struct ConnectScope {
    /// The app's numeric ID.
    let app: String
    /// The API's name for the platform.
    let platform: String
    /// The other apps and platforms in the responses, in the order of their first appearance.
    private(set) var others: [String] = []

    /// Returns whether a build or version belongs to the expected app and platform; if not, records
    /// the other app or platform in `others`.
    ///
    /// `platform` is the platform of the resource; `nil` if it is unknown.
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

    /// A note about ignored apps and platforms; `nil` if there are none.
    var note: String? {
        guard !self.others.isEmpty else { return nil }
        return
            "requested the app \(self.app) for \(self.platform), but App Store Connect also returned "
            + "builds or versions of \(self.others.joined(separator: ", ")), which are ignored"
    }
}
