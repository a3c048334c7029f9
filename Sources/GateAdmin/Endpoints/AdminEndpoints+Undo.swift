private import FoundationEssentials
internal import GateControl
internal import GatePolicy
internal import GateRecords
internal import GateRules
internal import NIOHTTP1

/// The way back to rules that were in force before.
extension AdminEndpoints {
    private struct Wish: Decodable {
        /// The revision to go back to.
        let to: String
    }

    /// The effect that an undo would have now.
    private struct Preview: Encodable {
        /// The revision in force, to be named by `If-Match`.
        let revision: String
        let to: String
        let changes: [String]
        let findings: [RulesReport.Item]
        /// The reasons to refuse it; empty if there are none.
        let errors: [ErrorEntry]

        init(_ preview: RulesReloader.UndoPreview) {
            self.revision = preview.revision
            self.to = preview.to
            self.changes = preview.changes
            self.findings = preview.findings.filter(\.isLoud).map { RulesReport.Item($0) }
            self.errors = preview.failure?.errors.map { ErrorEntry($0) } ?? []
        }
    }

    private struct Done: Encodable {
        /// The revision that is in force now.
        let revision: String
        /// Whether the files say something else, and do not end it as they are.
        let isPinned: Bool
        /// Whether it outlives the process.
        let isKept: Bool
    }

    /// `target`: a revision; `nil`: the last one with other files.
    func preview(of target: String?) async -> AdminAnswer {
        guard let preview = await self.reloader.preview(undoTo: target) else {
            return .unknownRevision
        }
        var answer = AdminAnswer(.ok, Preview(preview))
        answer.fields = [("ETag", "\"\(preview.revision)\"")]
        return answer
    }

    func undo(_ request: AdminRequest) async -> AdminAnswer {
        let wish: Wish
        do {
            wish = try JSONDecoder().decode(Wish.self, from: Data(request.body))
        } catch {
            return .refusal(.badRequest, "expected a body like {\"to\":\"REVISION\"}")
        }
        // No form of a page can send it (Fetch Standard, CORS-safelisted request headers).
        let stated = request.fields["If-Match"]
        guard stated.count == 1, let seen = stated.first.flatMap({ Self.tag($0) }) else {
            return .refusal(
                .preconditionRequired,
                "name the revision that you take to be in force: If-Match: \"REVISION\""
            )
        }
        switch await self.reloader.undo(to: wish.to, seen: seen, by: request.operatorName) {
        case .done(let rules):
            let done = Done(
                revision: rules.definition.revision,
                isPinned: rules.pin != nil,
                isKept: self.lastGood?.problem == nil && self.lastGood != nil
            )
            return AdminAnswer(.ok, done)
        case .stale(let revision):
            var answer = AdminAnswer.refusal(
                .conflict,
                "the rules have changed: revision \(revision) is in force, and not \(seen)"
            )
            answer.fields = [("ETag", "\"\(revision)\"")]
            return answer
        case .unknown: return .unknownRevision
        case .refused(let failure):
            return .refusal(
                .unprocessableEntity,
                "the rules of that revision cannot be put in force any more",
                errors: failure.errors
            )
        }
    }

    /// The revision in a strong entity tag (RFC 9110 section 8.8.3).
    private static func tag(_ text: String) -> String? {
        guard text.count > 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return nil }
        let name = text.dropFirst().dropLast()
        return name.contains("\"") ? nil : String(name)
    }
}

extension AdminAnswer {
    static let unknownRevision = AdminAnswer.refusal(
        .notFound,
        "the rules of that revision are not remembered; /api/v1/audit says which are"
    )
}
