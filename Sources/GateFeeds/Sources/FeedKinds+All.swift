package import GateRules

extension FeedKinds {
    /// All supported kinds of feeds.
    package static let all = FeedKinds(
        [
            "https": RulesURLDecoder(),
            "microcms": MicroCMSDecoder(),
            "firebaseDatabase": FirebaseDatabaseDecoder(),
            "firebaseRemoteConfig": FirebaseRemoteConfigDecoder(),
            "appStore": AppStoreDecoder(),
            "appStoreConnect": AppStoreConnectDecoder(),
            "googlePlay": GooglePlayDecoder(),
            "etcd": EtcdDecoder(),
        ],
        address: { $0.address($1) }
    )
}
