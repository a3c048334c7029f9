internal import GatePolicy

/// Decodes `phased` and `phasedFrom`: the progress of a phased release in a store.
package struct PhaseDecoder {
    static let keys = ["completeAt"]
    package static let partialWord = "partial"
    /// The duration of an App Store phased release in seconds.
    private static let duration: Int64 = 7 * 86_400

    let problems: Problems

    func decode(_ fields: Fields, _ releasedAt: NamedTime?) -> ReleasePhase {
        let phasedFrom = NamedTime("phasedFrom", of: fields, self.problems)
        releasedAt?.check(isNotAfter: phasedFrom, self.problems)
        guard let element = fields["phased"] else {
            return phasedFrom.map { from in
                let end = from.time.secondsSinceEpoch + Self.duration
                return .phased(completeAt: Timestamp(secondsSinceEpoch: end))
            } ?? .complete
        }
        if let place = fields.place(of: "phasedFrom") {
            self.problems.report("'phasedFrom' cannot be combined with 'phased'", at: place)
        }
        return self.phase(element, releasedAt) ?? .complete
    }

    private func phase(_ element: Element, _ releasedAt: NamedTime?) -> ReleasePhase? {
        if case .text(Self.partialWord) = element.content { return .partial }
        guard case .mapping = element.content else {
            let expected = "'\(Self.partialWord)', or a mapping with 'completeAt'"
            let message = "expected \(expected), found \(element.found)"
            return self.problems.reject(message, at: element.place)
        }
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        _ = fields.required("completeAt", of: "a phased release")
        let completeAt = NamedTime("completeAt", of: fields, self.problems)
        releasedAt?.check(isNotAfter: completeAt, self.problems)
        return completeAt.map { .phased(completeAt: $0.time) }
    }
}
