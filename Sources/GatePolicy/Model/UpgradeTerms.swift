/// The terms of the deciding rule for a client's upgrade.
package struct UpgradeTerms: Sendable, Equatable {
    package var minimum: AppVersion?
    package var minimumBuild: BuildNumber?
    /// The version to upgrade to.
    package var latest: AppVersion?
    /// The build to upgrade to.
    package var latestBuild: BuildNumber?
    /// The store URL for the client's channel and country.
    package var storeURL: String?
    /// The name of the notice; `nil` means the built-in notice.
    package var notice: String?
    /// The name of the notice for a client with a recommendation; `nil` means the built-in notice.
    package var recommendedNotice: String?
    /// Whether the client cannot update because the device's operating system is too old.
    package var cannotUpdate = false
    /// The number of seconds before the client may repeat a recommendation; `nil` means one day.
    package var snooze: Int64?

    package static let none = UpgradeTerms()
}

extension UpgradeTerms {
    init(_ policy: UnidentifiedPolicy, for identity: ClientIdentity) {
        self.init(storeURL: policy.storeURL?.url(for: identity), notice: policy.notice)
    }
}

extension StoreURL {
    /// Returns the store URL for the client's channel, or else for the client's country.
    func url(for identity: ClientIdentity) -> String {
        if let url = identity.channel.value.flatMap({ self.channels[$0] }) { return url }
        let country = self.countries.isEmpty ? nil : identity.likelyCountry
        return country.flatMap { self.countries[$0] } ?? self.default
    }
}
