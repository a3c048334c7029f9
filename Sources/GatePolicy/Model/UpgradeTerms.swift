/// The knowledge that a client needs to pass: the terms of the rule that decided.
package struct UpgradeTerms: Sendable, Equatable {
    package var minimum: AppVersion?
    package var minimumBuild: BuildNumber?
    /// The version to upgrade to.
    package var latest: AppVersion?
    /// The build to upgrade to.
    package var latestBuild: BuildNumber?
    /// The link to the update, for the channel and the country of the client.
    package var storeURL: String?
    /// The name of the notice; `nil` for the built-in one.
    package var notice: String?
    /// The name of the notice for a client for whom the upgrade is only recommended.
    package var recommendedNotice: String?
    /// Whether no update helps: the device's operating system is too old for it.
    package var cannotUpdate: Bool
    /// After how many seconds the client may remind its user again; `nil` for a day.
    package var snooze: Int64?

    package static let none = UpgradeTerms()

    package init(
        minimum: AppVersion? = nil,
        minimumBuild: BuildNumber? = nil,
        latest: AppVersion? = nil,
        latestBuild: BuildNumber? = nil,
        storeURL: String? = nil,
        notice: String? = nil,
        recommendedNotice: String? = nil,
        cannotUpdate: Bool = false,
        snooze: Int64? = nil
    ) {
        self.minimum = minimum
        self.minimumBuild = minimumBuild
        self.latest = latest
        self.latestBuild = latestBuild
        self.storeURL = storeURL
        self.notice = notice
        self.recommendedNotice = recommendedNotice
        self.cannotUpdate = cannotUpdate
        self.snooze = snooze
    }

    init(_ policy: UnidentifiedPolicy, for identity: ClientIdentity) {
        self.init(storeURL: policy.storeURL?.url(for: identity), notice: policy.notice)
    }
}

extension StoreURL {
    /// The link for a client.
    func url(for identity: ClientIdentity) -> String {
        self.url(
            for: identity.channel.value,
            country: self.countries.isEmpty ? nil : identity.likelyCountry
        )
    }

    /// The link for a lower-case channel, and else for a lower-case country.
    func url(for channel: String?, country: String?) -> String {
        channel.flatMap { self.channels[$0] } ?? country.flatMap { self.countries[$0] }
            ?? self.default
    }
}
