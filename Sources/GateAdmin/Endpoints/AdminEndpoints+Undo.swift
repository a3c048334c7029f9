private import FoundationEssentials
internal import GateControl
internal import GatePolicy
internal import GateRecords
internal import GateRules
internal import NIOHTTP1

/// Endpoints that restore previous rules, or preview the effect of an undo.
extension AdminEndpoints {
    private struct Wish: Decodable {
        /// The revision to return to.
        let to: String
    }

    /// Creates the response with the effects that an undo would currently have.
    ///
    /// `target` is the revision to return to; `nil` selects the last revision with different files.
    func preview(of target: String?) async -> AdminAnswer {
        guard let preview = await self.reloader.preview(undoTo: target) else {
            return target == nil ? .noEarlierRules : .unknownRevision
        }
        return AdminAnswer(.ok, UndoReport.Preview(preview))
            .with("ETag", "\"\(preview.revision)\"")
    }

    func undo(_ request: AdminRequest) async -> AdminAnswer {
        guard let wish = try? JSONDecoder().decode(Wish.self, from: Data(request.body)) else {
            return .refusal(.badRequest, "expected a body such as {\"to\":\"REVISION\"}")
        }
        // HTML forms cannot send `If-Match` (Fetch Standard, CORS-safelisted request headers).
        let stated = request.fields["If-Match"]
        guard stated.count == 1, let seen = stated.first.flatMap({ Self.tag($0) }) else {
            return .refusal(
                .preconditionRequired,
                "send the revision that you expect to be active: If-Match: \"REVISION\""
            )
        }
        switch await self.reloader.undo(to: wish.to, seen: seen, by: request.operatorName) {
        case .done(let rules):
            let done = UndoReport.Done(
                revision: rules.definition.revision,
                isPinned: rules.pin != nil,
                isKept: self.lastGood?.problem == nil && self.lastGood != nil,
                arePublished: self.publisher?.isCurrent
            )
            return AdminAnswer(.ok, done)
        case .stale(let revision):
            return .refusal(
                .conflict,
                "the rules have changed: revision \(revision) is active, not \(seen)"
            )
            .with("ETag", "\"\(revision)\"")
        case .unknown: return .unknownRevision
        case .refused(let failure):
            return .refusal(
                .unprocessableEntity,
                "the rules of that revision can no longer be activated",
                errors: failure.errors
            )
        }
    }

    /// Parses the revision from a strong entity tag (RFC 9110 section 8.8.3).
    private static func tag(_ text: String) -> String? {
        guard text.count > 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return nil }
        let name = text.dropFirst().dropLast()
        return name.contains("\"") ? nil : String(name)
    }
}

/// The results of `/api/v1/undo`; `versiongate undo` decodes them.
package enum UndoReport {
    /// The effect that an undo would have now.
    package struct Preview: Codable {
        /// The active revision, for `If-Match`.
        package let revision: String
        package let to: String
        package let changes: [String]
        package let findings: [RulesReport.Item]
        /// The reasons why the undo would be rejected; empty if there are none.
        package let errors: [ErrorEntry]

        init(_ preview: RulesReloader.UndoPreview) {
            self.revision = preview.revision
            self.to = preview.to
            self.changes = preview.changes
            self.findings = preview.findings.filter(\.isLoud).map { RulesReport.Item($0) }
            self.errors = preview.failure?.errors.map { ErrorEntry($0) } ?? []
        }
    }

    package struct Done: Codable {
        /// The revision that is now active.
        package let revision: String
        /// Whether the files contain different rules, so that the undo stays active until the files
        /// change.
        package let isPinned: Bool
        /// Whether the undo survives a restart.
        package let isKept: Bool
        /// Whether the file for the module in Envoy contains these rules; `nil` if there is no file.
        package let arePublished: Bool?
    }
}

extension AdminAnswer {
    static let noEarlierRules = AdminAnswer.refusal(
        .notFound,
        "there are no earlier rules to return to: the gate stores the rules that it has loaded since its start and, "
            + "with --state-dir, before"
    )
    static let unknownRevision = AdminAnswer.refusal(
        .notFound,
        "the rules of that revision are not stored; see /api/v1/audit for the stored revisions"
    )
}
