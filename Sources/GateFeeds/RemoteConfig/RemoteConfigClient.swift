internal import GatePolicy
internal import GateRules

/// The clients for which conditions are evaluated.
struct RemoteConfigClient {
    let platform: Platform
    /// The Firebase app ID, such as `1:123:ios:abc`; `nil` if it is unknown.
    let app: String?
    let now: Timestamp
    /// The device language, which selects texts; floors apply to all languages.
    var language: LanguageTag?
    /// Returns the time zone with the given name; `nil` if the system has no such zone.
    var zone: @Sendable (String) -> ZoneOffsets? = { ZoneOffsets(named: $0) }

    /// Returns whether a condition is met; `nil` if the gate cannot evaluate it.
    func meets(_ condition: RemoteConfigCondition, in piece: ClientPiece) -> Bool? {
        var isCertain = true
        for element in condition.elements {
            switch self.meets(element, in: piece) {
            case false?: return false
            case true?: continue
            case nil: isCertain = false
            }
        }
        return isCertain ? true : nil
    }

    private func meets(_ element: RemoteConfigCondition.Element, in piece: ClientPiece) -> Bool? {
        switch element {
        case .constant(let value): value
        case .platform(let names): names.contains(self.platform.name)
        case .app(let id): self.isApp(id)
        case .language(let names): self.language.map { names.contains("\($0)".lowercased()) }
        case .version(let relation, let versions):
            versions.contains { piece.versions.meets(relation, $0) }
        case .build(let relation, let builds): builds.contains { piece.builds.meets(relation, $0) }
        case .written(let test, let isMet): piece.forms.answer(to: test).map { $0 == isMet }
        case .time(let relation, let time, let zone): self.isTime(relation, time, in: zone)
        case .undecidable: nil
        }
    }

    /// Returns whether an ID is the app's Firebase ID; `nil` if this cannot be determined.
    ///
    /// An ID contains its platform, so `1:123:android:abc` is never the ID of an iOS app.
    private func isApp(_ id: String) -> Bool? {
        if let app { return app == id }
        let parts = id.split(separator: ":")
        guard parts.count == 4, Platform(String(parts[2])) != self.platform else { return nil }
        return false
    }

    /// Returns whether the current time satisfies a relation to a local time; `nil` if the result
    /// depends on the offset of an unknown time zone.
    ///
    /// The offset of an unknown time zone is assumed to be between UTC-12 and UTC+14.
    private func isTime(
        _ relation: RemoteConfigCondition.Relation,
        _ time: Timestamp,
        in zone: String
    ) -> Bool? {
        let hour: Int64 = 3_600
        let now = self.now.secondsSinceEpoch
        let local = time.secondsSinceEpoch
        if ["GMT", "UTC", "Etc/UTC"].contains(zone) { return relation.holds(now, local) }
        if let offsets = self.zone(zone) {
            return relation.holds(now, offsets.time(ofLocal: local))
        }
        let first = relation.holds(now, local - 14 * hour)
        let last = relation.holds(now, local + 12 * hour)
        return first == last ? first : nil
    }
}
