import Foundation

/// The memory of a gate that lasts until the app starts again.
struct KeptState: Codable, Equatable {
    /// The build that it was said to.
    var build = ""
    /// The gate's last word.
    var state: GateState?
    /// The maintenance that it announced.
    var announced: MaintenanceWindow?
    /// Names what it said (RFC 9110 section 8.8.3).
    var tag: String?
    /// When the user said "later", by the version that was offered.
    var snoozes: [String: Date] = [:]

    /// So many versions are remembered.
    private static let snoozeLimit = 8

    /// Reads what was kept; of another build, only what the user said: an app that was updated is not
    /// refused for what its old build was told.
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

    /// The user said "later".
    ///
    /// - Returns: Whether the update can be put off.
    mutating func snooze(_ update: Update, at now: Date) -> Bool {
        guard update.snoozeSeconds != nil else { return false }
        self.snoozes[Self.version(of: update)] = now
        if self.snoozes.count > Self.snoozeLimit,
            let oldest = self.snoozes.min(by: { $0.value < $1.value })
        {
            self.snoozes[oldest.key] = nil
        }
        return true
    }

    /// Whether the user is left alone with an update: for the seconds that the gate says now.
    func isSnoozed(_ update: Update, at now: Date) -> Bool {
        guard let seconds = update.snoozeSeconds,
            let begin = self.snoozes[Self.version(of: update)]
        else { return false }
        // A clock that was set back does not make the time longer.
        return begin <= now && now < begin + seconds
    }

    private static func version(of update: Update) -> String {
        update.latestVersion ?? update.minimumVersion ?? ""
    }

    /// The key for a gate and an app: an FNV-1a hash of 64 bits.
    static func key(baseURL: URL, _ identity: AppIdentity) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in "\(baseURL.absoluteString)\n\(identity.app ?? "")".utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        return "gate-\(String(hash, radix: 16))"
    }

    /// The name of a build: all parts of its identity.
    static func build(_ identity: AppIdentity) -> String {
        [identity.platform, identity.version, identity.build, identity.channel]
            .map { $0 ?? "" }.joined(separator: "\n")
    }
}
