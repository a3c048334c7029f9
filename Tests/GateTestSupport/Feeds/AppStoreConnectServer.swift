import Foundation

/// An emulated App Store Connect with one app and one key, and the private key.
package final class AppStoreConnectServer: Sendable {
    /// Whether Python and `openssl` are installed.
    package static var canRun: Bool { FeedServer.canRun && TestCertificates.canBeMade }

    package static let keyID = "2X9R4HXF34"
    package static let issuer = "57246542-96fe-1a63-e053-0824d011072a"

    package let server: FeedServer
    /// The path of the `.p8` file.
    package let keyPath: String

    /// Starts the server, and creates the key in a folder.
    package init(in folder: TemporaryFolder, identity: FeedServer.Identity? = nil) throws {
        self.server = try FeedServer("app-store-connect", identity: identity)
        let key = try TestKey(.p256, in: folder, name: "AuthKey.p8")
        self.keyPath = key.path
        try self.set([
            "keys": [["kid": Self.keyID, "publicKey": key.publicKey]],
            "apps": [["id": "1234567890", "bundleId": "com.example.shop"]],
        ])
    }

    /// Sets switches of the server's state, which the servers' README documents.
    package func set(_ switches: [String: Any]) throws {
        let json = try JSONSerialization.data(withJSONObject: switches)
        try self.server.changeState(String(decoding: json, as: UTF8.self))
    }

    /// Replaces the builds.
    package func publish(builds: [[String: Any]]) throws {
        try self.set(["builds": builds])
    }

    /// Returns a build that its testers can install.
    package static func build(
        _ number: String,
        of version: String,
        _ audience: String = "INTERNAL_ONLY",
        _ more: [String: Any] = [:]
    ) -> [String: Any] {
        let usual: [String: Any] = [
            "id": "b\(number)-\(version)", "app": "1234567890", "version": number,
            "marketingVersion": version, "buildAudienceType": audience,
            "internalBuildState": "IN_BETA_TESTING", "externalBuildState": "IN_BETA_TESTING",
            "expirationDate": "2098-11-30T10:00:00-08:00",
        ]
        return usual.merging(more) { $1 }
    }

    /// Returns a version that is in the App Store.
    package static func version(
        _ version: String,
        _ more: [String: Any] = [:]
    ) -> [String: Any] {
        let usual: [String: Any] = [
            "id": "v\(version)", "app": "1234567890", "versionString": version,
            "appVersionState": "READY_FOR_DISTRIBUTION",
        ]
        return usual.merging(more) { $1 }
    }
}
