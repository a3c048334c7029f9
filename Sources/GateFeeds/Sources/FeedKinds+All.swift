package import GateRules

extension FeedKinds {
    /// Every kind that the gate can ask.
    package static let all = FeedKinds([
        "https": RulesURLDecoder(),
        "microcms": MicroCMSDecoder(),
        "firebaseDatabase": FirebaseDatabaseDecoder(),
        "firebaseRemoteConfig": FirebaseRemoteConfigDecoder(),
        "appStore": AppStoreDecoder(),
        "appStoreConnect": AppStoreConnectDecoder(),
        "googlePlay": GooglePlayDecoder(),
        "etcd": EtcdDecoder(),
    ])
}
