import Foundation

/// A service account with a key of its own, as a file like one from Google's console.
package struct GoogleTestAccount: Sendable {
    /// Whether `openssl` is installed.
    package static var canBeMade: Bool { TestKey.canBeMade }

    /// The content of the key file.
    package let json: String
    /// The private key in PEM format.
    package let key: String

    /// Creates the file.
    ///
    /// `ownKey` creates a key that no other account has.
    package init(tokenURL: String, project: String? = "example", ownKey: Bool = false) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        self.key = try TestKey(.rsa, in: folder, own: ownKey).privateKey
        var members = [
            "type": "service_account", "client_email": "gate@example.iam.gserviceaccount.com",
            "private_key_id": "key-1", "private_key": self.key, "token_uri": tokenURL,
        ]
        members["project_id"] = project
        self.json = String(decoding: try JSONEncoder().encode(members), as: UTF8.self)
    }

    /// Returns the state for a `FeedServer` that emulates Google, with this account and other switches.
    package func state(_ switches: String = "", oauth: String = "") -> String {
        let oauth = oauth.isEmpty ? "" : ",\(oauth)"
        let rest = switches.isEmpty ? "" : ",\(switches)"
        return #"{"oauth":{"accounts":[\#(self.json)]\#(oauth)}\#(rest)}"#
    }
}
