internal import GatePolicy

/// Finds feeds that read the data of one platform into rules for another.
struct FeedPlatformCheck: FindingCheck {
    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        for feed in rules.feeds {
            guard let platforms = feed.source.rulePlatforms else { continue }
            for claim in feed.source.platformClaims {
                let others = claim.contradictions(among: platforms)
                guard !others.isEmpty else { continue }
                findings.report(
                    .otherPlatform,
                    "the feed '\(feed.id)' reads \(claim.words), but its rules are for "
                        + "\(others.names): use a separate feed for each platform",
                    at: feed.place
                )
            }
        }
    }
}
