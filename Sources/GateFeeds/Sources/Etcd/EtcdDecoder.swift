internal import GateRules
/// Decodes a feed of the kind `etcd`.
struct EtcdDecoder: FeedSourceDecoder {
    let keys = [
        "url", "key", "prefix", "user", "password", "clientCertificate", "clientKey",
    ]
    let usualInterval: Int64 = 30
    let webhook: FeedWebhook.Form? = nil

    func decode(_ fields: Fields, _ problems: Problems) -> (any FeedSource)? {
        let urls = fields.required("url", of: "a feed")
            .map { $0.oneOrMore(problems).compactMap { $0.address(problems) } }
        let selection = self.selection(fields, problems)
        let account = self.account(fields, problems)
        let identity = self.identity(fields, problems)
        guard let urls, !urls.isEmpty, let selection else { return nil }
        // Invalid values are reported by `FeedDecoder`.
        let every = fields["every"].flatMap { $0.timeSpan(Problems()) } ?? self.usualInterval
        return EtcdFeed(
            urls: urls,
            selection: selection,
            account: account,
            identity: identity,
            silence: max(1, every)
        )
    }

    private func selection(_ fields: Fields, _ problems: Problems) -> EtcdSelection? {
        switch (fields["key"], fields["prefix"]) {
        case (let key?, nil): return key.text("a key", problems).map { .key($0) }
        case (nil, let prefix?): return prefix.text("a prefix", problems).map { .prefix($0) }
        case (nil, nil), (_?, _?):
            return problems.reject("an etcd feed needs either 'key' or 'prefix'", at: fields.place)
        }
    }

    private func identity(_ fields: Fields, _ problems: Problems) -> EtcdFeed.Identity? {
        switch (fields["clientCertificate"], fields["clientKey"]) {
        case (nil, nil): return nil
        case (let certificate?, let key?):
            guard let certificate = certificate.secret(problems), let key = key.secret(problems)
            else { return nil }
            return EtcdFeed.Identity(certificate: certificate, key: key)
        case (nil, _?), (_?, nil):
            let message = "'clientCertificate' and 'clientKey' must be set together"
            return problems.reject(message, at: fields.place)
        }
    }

    private func account(_ fields: Fields, _ problems: Problems) -> EtcdFeed.Account? {
        switch (fields["user"], fields["password"]) {
        case (nil, nil): return nil
        case (let user?, let password?):
            guard let name = user.text("a user", problems), let secret = password.secret(problems)
            else { return nil }
            return EtcdFeed.Account(user: name, password: secret)
        case (nil, _?), (_?, nil):
            return problems.reject("'user' and 'password' must be set together", at: fields.place)
        }
    }
}
