import Foundation

/// A Google service account: its key, and the server that issues its tokens.
///
/// https://developers.google.com/identity/protocols/oauth2/service-account
package final class GoogleAccount: Sendable {
    /// Whether `openssl` is installed.
    package static var canBeMade: Bool { TestKey.canBeMade }

    package let server: SourceServer
    /// The path of the JSON file with the key.
    package let path: String
    package let key: TestKey
    private let count: Watched<Int>

    /// Creates `account.json` in a folder.
    ///
    /// The tokens are `token-1`, `token-2` and so on.
    ///
    /// `lifetime` is the period of a token's validity, in seconds.
    package init(in folder: TemporaryFolder, lifetime: Int = 3599) throws {
        let count = Watched(0)
        self.count = count
        self.server = try SourceServer { _ in
            let number = count.update { count in
                count += 1
                return count
            }
            let body =
                #"{"access_token":"token-\#(number)","expires_in":\#(lifetime),"token_type":"Bearer"}"#
            return [.readBody, .answer(body: body)]
        }
        self.key = try TestKey(.rsa, in: folder, name: "account.pem")
        let file = [
            "type": "service_account", "project_id": "my-shop", "private_key_id": "key-1",
            "private_key": self.key.privateKey,
            "client_email": "gate@my-shop.iam.gserviceaccount.com",
            "token_uri": self.server.url("/token"),
        ]
        self.path = folder.path(of: "account.json")
        try JSONEncoder().encode(file).write(to: folder.file("account.json"))
    }

    /// The most recently issued token.
    package var token: String { "token-\(self.count.current)" }

    /// Invalidates the most recently issued token.
    package func revokeToken() {
        self.count.update { $0 += 1 }
    }

    /// The assertions in the token requests.
    package var assertions: [String] {
        self.server.record.exchanges.compactMap { exchange in
            var form = URLComponents()
            form.percentEncodedQuery = String(decoding: exchange.body, as: UTF8.self)
            let items = form.queryItems ?? []
            let grant = items.first { $0.name == "grant_type" }?.value
            guard grant == "urn:ietf:params:oauth:grant-type:jwt-bearer" else { return nil }
            return items.first { $0.name == "assertion" }?.value
        }
    }
}
