package import GatePolicy

/// A platform that a feed's entry implies outside of the `match` of its rules.
package struct FeedPlatformClaim: Sendable, Equatable {
    /// The part of the entry that implies the platform, such as `'system: ios'`.
    let words: String
    let platform: Platform
    /// Whether all conditions are evaluated for this platform only, so that rules for other
    /// platforms are wrong.
    var isExclusive: Bool

    package init(words: String, platform: Platform, isExclusive: Bool = false) {
        self.words = words
        self.platform = platform
        self.isExclusive = isExclusive
    }

    /// Returns the claims that the source's field names imply.
    package static func all(in names: [String], _ words: (String) -> String) -> [FeedPlatformClaim]
    {
        names.compactMap { name in
            PlatformNames.platform(in: name).map {
                FeedPlatformClaim(words: words(name), platform: $0)
            }
        }
    }

    /// Returns the platforms of a rule that contradict the claim; empty if the rule is compatible.
    func contradictions(among platforms: [Platform]) -> [Platform] {
        let others = platforms.filter { !self.covers($0) }
        return self.isExclusive || others.count == platforms.count ? others : []
    }

    /// Whether the claim includes a platform.
    ///
    /// An exclusive claim for one Apple system includes all Apple systems, because Firebase treats them as iOS.
    private func covers(_ platform: Platform) -> Bool {
        let apple: [Platform] = [.ios, .macos, .tvos, .watchos, .visionos]
        guard self.isExclusive else { return platform == self.platform }
        return apple.contains(self.platform) == apple.contains(platform)
    }
}

extension [Platform] {
    /// The platform names, joined by commas.
    package var names: String { self.map(\.name).joined(separator: ", ") }
}
