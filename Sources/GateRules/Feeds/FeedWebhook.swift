/// The signature verification for a source's webhooks.
package struct FeedWebhook: Sendable, Equatable {
    /// The format of a signature; the signed content and the algorithm are the same for all
    /// sources.
    package struct Form: Sendable, Equatable {
        /// The name of the header field with the signature.
        package let field: String
        /// The string before the hexadecimal digits of the signature.
        let prefix: String

        /// GitHub's format, which scripts can also use
        /// (https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries).
        static let hub = Form(field: "X-Hub-Signature-256", prefix: "sha256=")
        /// The format of App Store Connect (API 4.0, "Configuring webhook notifications").
        package static let apple = Form(field: "X-Apple-Signature", prefix: "hmacsha256=")
        /// The format of microCMS (https://document.microcms.io/manual/webhook-setting).
        package static let microCMS = Form(field: "X-MICROCMS-Signature", prefix: "")
    }

    package let form: Form
    let secret: Secret
}
