import Foundation

/// The persistent state of a client.
struct StoredState: Codable, Equatable {
    /// The build that the state belongs to.
    var build = ""
    /// The last known state.
    var state: GateState?
    /// The announced maintenance window.
    var announced: MaintenanceWindow?
    /// The entity tag of the last status response (RFC 9110 section 8.8.3).
    var tag: String?
    /// The times at which the user chose "later", by offered version.
    var snoozes: [String: Date] = [:]

    /// The maximum number of versions in `snoozes`.
    private static let snoozeLimit = 8

    /// Decodes stored data.
    ///
    /// If the data belongs to another build, only the snoozes are kept, because an updated app must
    /// not act on the state of its old build.
    init(_ data: Data?, for build: String) {
        let kept = data.flatMap { try? JSONDecoder().decode(Self.self, from: $0) }
        self.build = build
        self.snoozes = kept?.snoozes ?? [:]
        guard let kept, kept.build == build else { return }
        self.state = kept.state?.known
        self.announced = kept.announced
        self.tag = kept.tag
    }

    var data: Data { (try? JSONEncoder().encode(self)) ?? Data() }

    /// Records that the user chose "later".
    ///
    /// - Returns: Whether the update can be snoozed.
    mutating func snooze(_ update: Update, at now: Date) -> Bool {
        guard update.snoozeSeconds != nil else { return false }
        self.snoozes[update.offeredVersion] = now
        if self.snoozes.count > Self.snoozeLimit,
            let oldest = self.snoozes.min(by: { $0.value < $1.value })
        {
            self.snoozes[oldest.key] = nil
        }
        return true
    }

    /// Returns whether an update is snoozed, based on the number of seconds that the gate currently
    /// sends.
    func isSnoozed(_ update: Update, at now: Date) -> Bool {
        guard let seconds = update.snoozeSeconds,
            let begin = self.snoozes[update.offeredVersion]
        else { return false }
        // A snooze ends if the clock is set back to before its start.
        return begin <= now && now < begin + seconds
    }

    /// Returns the storage key for a gate and an app: a 64-bit FNV-1a hash.
    static func key(baseURL: URL, _ identity: AppIdentity) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in "\(baseURL.absoluteString)\n\(identity.app ?? "")".utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        return "gate-\(String(hash, radix: 16))"
    }

    /// Returns a name that identifies a build by its platform, version, build number and channel.
    static func build(_ identity: AppIdentity) -> String {
        [identity.platform, identity.version, identity.build, identity.channel]
            .map { $0 ?? "" }.joined(separator: "\n")
    }
}
