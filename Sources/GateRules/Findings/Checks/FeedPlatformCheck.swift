internal import GatePolicy

/// Finds feeds whose entry speaks of one platform, and whose rules are for another.
struct FeedPlatformCheck: FindingCheck {
    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        for feed in rules.feeds {
            guard let platforms = feed.source.rulePlatforms else { continue }
            for claim in feed.source.platformClaims {
                let others = claim.contradictions(among: platforms)
                guard !others.isEmpty else { continue }
                findings.report(
                    .otherPlatform,
                    "the feed '\(feed.id)' reads what \(claim.words) says, and its rules are for "
                        + "\(others.names): give each platform a feed of its own",
                    at: feed.place
                )
            }
        }
    }
}
