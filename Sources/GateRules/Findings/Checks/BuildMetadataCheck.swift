internal import GatePolicy

/// Finds versions with build metadata, which comparisons ignore.
struct BuildMetadataCheck: FindingCheck {
    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        for (id, rule) in rules.places.rules {
            for stated in rule.metadata {
                findings.report(.buildMetadata, stated.value.message, at: stated.place, rule: id)
            }
        }
        for stated in rules.places.metadataOfReleases {
            findings.report(.buildMetadata, stated.value.message, at: stated.place)
        }
    }
}
