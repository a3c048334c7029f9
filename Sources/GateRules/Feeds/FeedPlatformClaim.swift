package import GatePolicy

/// A platform that the entry of a feed speaks of, beside the `match` of its rules.
package struct FeedPlatformClaim: Sendable, Equatable {
    /// Where the entry says it, such as `'system: ios'`.
    let words: String
    let platform: Platform
    /// Whether everything is judged for this platform, so that rules for any other one are wrong.
    var isExclusive: Bool

    package init(words: String, platform: Platform, isExclusive: Bool = false) {
        self.words = words
        self.platform = platform
        self.isExclusive = isExclusive
    }

    /// The claims of the names that a source has for fields.
    package static func all(in names: [String], _ words: (String) -> String) -> [FeedPlatformClaim]
    {
        names.compactMap { name in
            PlatformNames.platform(in: name).map {
                FeedPlatformClaim(words: words(name), platform: $0)
            }
        }
    }

    /// The platforms among those of a rule that contradict it; none if it fits.
    func contradictions(among platforms: [Platform]) -> [Platform] {
        let others = platforms.filter { !self.covers($0) }
        return self.isExclusive || others.count == platforms.count ? others : []
    }

    /// Whether a client of a platform may be what is meant: to Firebase, all of Apple's systems are iOS.
    private func covers(_ platform: Platform) -> Bool {
        let apple: [Platform] = [.ios, .macos, .tvos, .watchos, .visionos]
        guard self.isExclusive else { return platform == self.platform }
        return apple.contains(self.platform) == apple.contains(platform)
    }
}

extension [Platform] {
    /// The platforms in a sentence.
    package var names: String { self.map(\.name).joined(separator: ", ") }
}
