import Foundation

@testable import VersionGateClient

extension Update {
    /// Creates an update to a version that can be snoozed for some seconds.
    static func sample(
        latest: String = "4.2.0",
        snooze: TimeInterval? = nil,
        brownoutUntil: Date? = nil,
        cannotUpdate: Bool = false
    ) -> Update {
        var update = Update()
        update.title = "Update"
        update.message = "A newer version is there."
        update.button = "Get it"
        update.storeURL = URL(string: "https://store.example/app")
        update.latestVersion = latest
        update.snoozeSeconds = snooze
        update.brownoutUntil = brownoutUntil
        update.cannotUpdate = cannotUpdate
        return update
    }
}
