/// An app on a platform, as sent by clients; each property is `nil` if the clients do not send it.
package struct CensusAudience: Sendable, Hashable {
    package let app: String?
    package let platform: String?

    package init(_ client: CensusClient) {
        self.app = client.app.text
        self.platform = client.platform.text
    }

    /// The app and platform as shown in a report.
    package var words: String { "\(self.app ?? "-") \(self.platform ?? "-")" }

    /// The sort key.
    package var name: String { "\(self.app ?? "")\0\(self.platform ?? "")" }
}
