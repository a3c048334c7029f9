private import FoundationEssentials
internal import GateCrypto
internal import GateRules
internal import GateSystem

/// Decodes a feed of the kind `https`.
struct RulesURLDecoder: FeedSourceDecoder {
    let keys = ["url", "token", "redirectsTo", "signature"] + ValueObject.keys
    let usualInterval: Int64 = 60

    func decode(_ fields: Fields, _ problems: Problems) -> (any FeedSource)? {
        let url = fields.required("url", of: "a feed").flatMap { $0.address(problems) }
        let token = fields["token"].flatMap { $0.secret(problems) }
        let hosts = fields["redirectsTo"].map { $0.hosts(problems) } ?? []
        let signature = fields["signature"].flatMap { self.signature($0, of: url, problems) }
        guard let url else { return nil }
        return RulesURLFeed(
            url: url,
            token: token,
            redirects: RedirectRule(hosts: hosts),
            signature: signature,
            content: ValueObject(fields, usually: .rules, problems)
        )
    }

    private func signature(
        _ element: Element,
        of url: FetchURL?,
        _ problems: Problems
    ) -> RulesURLFeed.Signature? {
        let keys = ["publicKey", "url"]
        guard let fields = Fields(element, keys, problems) else { return nil }
        let key = fields.required("publicKey", of: "a signature")
            .flatMap { self.publicKey($0, problems) }
        let address = fields["url"].map { $0.address(problems) } ?? url?.appending(suffix: ".sig")
        guard let key, let address else { return nil }
        return RulesURLFeed.Signature(key: key, url: address)
    }

    private func publicKey(_ element: Element, _ problems: Problems) -> VerifyingKey? {
        guard let text = element.text("a public key", problems) else { return nil }
        if let data = Data(base64Encoded: text), let key = VerifyingKey(Array(data)) { return key }
        let message =
            "expected an Ed25519 public key: 32 bytes in base64, without PEM or DER encoding"
        return problems.reject(message, at: element.place)
    }
}
