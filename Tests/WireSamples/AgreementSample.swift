/// A random request, for tests that two ways to a decision agree.
package struct AgreementSample: Sendable {
    package let method: String
    package let target: String
    package let fields: [String]

    package static let rules = #"""
        identity:
          userAgent: '^ShopApp/(?<version>[0-9.]+) \((?<platform>iOS|Android); build (?<build>[0-9]+)'
          query: { version: v }
        unidentified: { missing: allow, unreadable: reject, storeUrl: "https://shop.example" }
        exempt: [/health, /public/*]
        rules:
          - id: ios
            match: { app: com.example.shop, platform: ios }
            minimum: 3.5.0
            recommended: 4.0.0
            blocked: [3.7.1]
            storeUrl: https://apps.apple.com/app/id123456789
          - id: android
            match: { app: com.example.shop, platform: android }
            minimumBuild: 350
            status: 410
            storeUrl: https://play.google.com/store/apps/details?id=com.example.shop
          - id: orders
            match: { method: POST, path: /orders/** }
            minimum: 3.8.0
            status: 200
            storeUrl: https://shop.example
        """#

    private static let methods = ["GET", "GET", "POST", "HEAD", "PUT", "OPTIONS", "DELETE"]
    private static let targets = [
        "/", "/orders/7", "/orders/7?x=1", "/health", "/public/a", "/a?v=3.4.9", "/graphql",
        "/orders/%37", "//orders/7", "/a/../orders/7", "/x?connect=v1&encoding=json",
    ]
    private static let versions = [
        "3.4.9", "3.5.0", "3.7.1", "3.8", "4.0.0", "4.1", "3", "abc", "4.0,2.0", "4.0, 2.0", "",
        "3.5.0-beta.1", "v3.6", "10.0",
    ]
    private static let others: [[String]] = [
        ["Accept: text/html,application/xhtml+xml"], ["Accept: application/json"],
        ["Content-Type: application/grpc"], ["Content-Type: application/grpc-web+proto"],
        ["Content-Type: application/connect+json"], ["Connect-Protocol-Version: 1"],
        ["Accept: application/graphql-response+json"], ["Accept-Language: ja, en;q=0.5"],
        ["Accept-Language: de"], ["Origin: https://web.example"],
        ["Origin: https://web.example", "Access-Control-Request-Method: GET"],
        ["Connection: Upgrade", "Upgrade: websocket"],
        ["User-Agent: ShopApp/3.4.0 (iOS; build 340)"],
        ["User-Agent: ShopApp/9.0 (Android; build 900)"],
        ["X-VersionGate: require"], ["X-VersionGate-Decision: allow"], ["X-App-Build: 349"],
        ["X-App-Build: 350"], ["X-App-Build: 1,2"], ["Cookie: a=b"], ["X_App_Version: 9"],
    ]

    private static func pick<Element>(
        _ elements: [Element],
        _ random: inout some RandomNumberGenerator
    ) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }

    /// Returns a random request.
    package static func random(
        _ random: inout some RandomNumberGenerator
    ) -> AgreementSample {
        var fields: [String] = []
        if Int.random(in: 0..<10, using: &random) > 0 {
            fields.append("X-App-Id: com.example.shop")
        }
        let platforms = ["ios", "ios", "android", "iOS", "windows"]
        if Int.random(in: 0..<10, using: &random) > 0 {
            fields.append("X-App-Platform: \(Self.pick(platforms, &random))")
        }
        for _ in 0..<Self.pick([1, 1, 1, 1, 0, 2], &random) {
            fields.append("X-App-Version: \(Self.pick(Self.versions, &random))")
        }
        for _ in 0..<Int.random(in: 0..<4, using: &random) {
            fields += Self.pick(Self.others, &random)
        }
        return AgreementSample(
            method: Self.pick(self.methods, &random),
            target: Self.pick(self.targets, &random),
            fields: fields
        )
    }
}
