/// Requests that tests send, as text on the wire.
enum Request {
    /// The identity of a client whose build is too old for `RulesText.shop`.
    static let outdated = Self.identity(version: "3.4.9")
    /// The identity of a client whose build is new enough.
    static let current = Self.identity(version: "3.5.0")

    static func identity(version: String) -> String {
        "X-App-Id: com.example.shop\r\nX-App-Platform: ios\r\nX-App-Version: \(version)\r\n"
    }

    /// Returns a whole request; a body gets a Content-Length.
    static func text(
        _ method: String = "GET",
        _ target: String = "/",
        host: String = "gate",
        fields: String = "",
        body: String? = nil
    ) -> String {
        let length = body.map { "Content-Length: \($0.utf8.count)\r\n" } ?? ""
        let head = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n\(fields)\(length)\r\n"
        return head + (body ?? "")
    }
}
