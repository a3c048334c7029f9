internal import GatePolicy

/// Finds notices without a language that another notice includes.
struct MissingLanguageCheck: FindingCheck {
    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        let notices = rules.definition.notices
        let spoken = Set(notices.values.flatMap(\.texts.keys))
        for (name, notice) in notices {
            let missing = spoken.subtracting(notice.texts.keys).map { "'\($0)'" }.sorted()
            guard !missing.isEmpty, let place = rules.places.notices[name] else { continue }
            let languages = missing.joined(separator: ", ")
            let message =
                "the notice '\(name)' has no text in \(languages), but other notices do"
            findings.report(.missingLanguage, message, at: place)
        }
    }
}

/// Finds notices that are never shown.
struct UnusedNoticeCheck: FindingCheck {
    /// The notice for devices that cannot update; rules do not refer to it.
    private static let cannotUpdate = "cannotUpdate"

    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        let definition = rules.definition
        if rules.floors.allSatisfy(\.rule.requiresOS.isEmpty),
            let place = rules.places.notices[Self.cannotUpdate]
        {
            findings.report(
                .unusedNotice,
                "the notice '\(Self.cannotUpdate)' is never shown: no rule has 'requiresOS'",
                at: place
            )
        }
        var fed: Set<String> = []
        for feed in rules.feeds {
            switch feed.source.subject {
            // The feed's rules may refer to any notice.
            case .anything: return
            case .rules(let notices): fed.formUnion(notices)
            case .releases: continue
            }
        }
        var used: Set = [definition.unidentified.notice, Self.cannotUpdate]
        for floor in rules.floors {
            used.insert(floor.rule.notice)
            used.insert(floor.rule.recommendedNotice)
        }
        for name in definition.notices.keys where !used.contains(name) && !fed.contains(name) {
            guard let place = rules.places.notices[name] else { continue }
            findings.report(.unusedNotice, "no rule uses the notice '\(name)'", at: place)
        }
    }
}
